import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

let folder: string;
let store: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-tasks-'));
  store = join(folder, 'agent.db');
  const open = await openSqliteStore({ path: store });
  const save = (task: string, passed: boolean) =>
    open.save({
      task,
      id: `${task}-1`,
      text: JSON.stringify({ checks: [{ name: 'total', passed }] }),
      status: 'completed',
    });
  await save('good', true);
  await save('bad', false);
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

it('tasks and errors name a check that failed at the end of a completed task', async () => {
  expect(await run('tasks')).toMatch(/completed +good[^]*check_failed +bad|check_failed +bad[^]*completed +good/);
  const { items } = JSON.parse(await run('tasks', '--status', 'check_failed', '--json'));
  expect(items).toMatchObject([{ id: 'bad', status: 'completed', outcome: 'check_failed' }]);
  expect(await run('tasks', '--status', 'completed')).not.toContain('bad');
  expect(await run('errors')).toMatch(/1 failed check in 1 task: Check total failed\n.*\n +bad +check_failed/);
});
