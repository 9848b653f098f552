import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

/** Agent Framework writes its files over many lines. */
const FORKS = fileURLToPath(
  new URL('../../../packages/systems/src/agent-framework/fixtures/counter-forks', import.meta.url),
);

describe('a value that is stored over several lines', () => {
  const place = workplace();
  cpSync(FORKS, place.path('forks'), { recursive: true });

  it.each([
    ['history', ['history', 'counter-flow', '$.messages'], '{"internal:counter":[{"__pickled__":"'],
    ['diff', ['diff', 'counter-flow/latest~2', 'counter-flow/latest~1'], '+ $.messages.relay  [{"__pickled__":"'],
    ['compare', ['compare', 'counter-flow', 'счётчик-工作流'], '- $.messages["internal:counter"]  [{"__pickled__":"'],
    ['tree --lanes', ['tree', 'counter-flow', '--lanes'], 'f1    from '],
  ])('is shown on one line by %s', async (_, args, expected) => {
    const done = await place.run(...args, '-s', place.path('forks'));
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(expected);
    expect(done.out).not.toContain(String.raw`\u000a`);
  });
});
