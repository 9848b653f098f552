import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

let folder: string;
let store: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-tree-'));
  store = join(folder, 'agent.db');
  const open = await openSqliteStore({ path: store });
  const save = (id: string, parent: string | undefined, prompt: string) =>
    open.save({
      task: 'sweep',
      id,
      text: JSON.stringify({ prompt }),
      ...(parent === undefined ? {} : { parent: { task: 'sweep', id: parent } }),
    });
  await save('c-1', undefined, 'none');
  await save('c-2', 'c-1', 'concise');
  await save('c-3', 'c-1', 'two-pass');
  await open.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const output = { json: args.includes('--json'), line: (text: string) => lines.push(text), note: () => undefined };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  await (await createProgram({ version: '0.0.0', output })).parseAsync(['node', 'cli', ...args, '-s', store]);
  return lines.join('\n');
}

it('tree --lanes names each lane by what differs', async () => {
  expect(await run('tree', 'sweep', '--lanes')).toMatch(/f1 +prompt: two-pass/);
  expect(JSON.parse(await run('tree', 'sweep', '--lanes', '--json'))).toMatchObject({
    of: 2,
    items: [
      { lane: 'main', steps: 2 },
      { lane: 'f1', parent: 'main', from: { id: 'c-1' }, differences: [{ key: 'prompt', value: 'two-pass' }] },
    ],
  });
});
