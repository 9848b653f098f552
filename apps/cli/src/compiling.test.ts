import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { FLAG } from './compiling.ts';

it('asks for nothing that this V8 does not know: it would print an error', () => {
  const known = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }).stdout;
  expect(known).toContain(`${FLAG} `);
});
