import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

it('names the stores as they were named, each word quoted', () => {
  expect(commandLine()('undo', 'r-1')).toBe('checkpoint-inspector undo r-1');
  expect(commandLine({ store: ['a=my runs.db', 'b.db'], home: true, keyFile: '$(key)' })('undo', 'r-1')).toBe(
    "checkpoint-inspector undo r-1 -s 'a=my runs.db' -s b.db --home --key-file '$(key)'",
  );
});
