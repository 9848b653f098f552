import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { workplace } from './run.ts';

const TASK = "it's $(touch x)/a b";
const ID = '`touch y`; one';

describe('commands that are printed to be copied', async () => {
  const place = workplace();
  const path = place.path('my runs.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: TASK, id: ID, text: '{"n":1}', status: 'completed' });
  const parent = { task: TASK, id: ID };
  const failed = { status: 'failed', description: 'Error: \u001b[31mno' } as const;
  await store.save({ task: TASK, id: 'two', parent, text: '{"n":2}', ...failed });
  await store.close();

  const STORE = "-s 'runs=my runs.db'";
  const opened = ['-s', 'runs=my runs.db'];
  const task = `runs/it's%20%24(touch%20x)%2Fa%20b`;
  const quoted = String.raw`'runs/it'\''s%20%24(touch%20x)%2Fa%20b`;

  it('go back to a checkpoint whatever its ids are', async () => {
    const { out } = await place.run('explain', TASK, ...opened);
    expect(out).toContain(`Go back:  checkpoint-inspector restore ${quoted}/%60touch%20y%60%3B%20one' ${STORE}\n`);
    const address = `${task}/%60touch%20y%60%3B%20one`;
    expect((await place.run('restore', address, ...opened, '--dry-run')).code).toBe(0);
  });

  it('preview what pruning frees', async () => {
    const { out } = await place.run('growth', TASK, ...opened);
    expect(out).toContain(`checkpoint-inspector prune ${quoted}' --keep-last 1 --dry-run ${STORE}\n`);
    expect((await place.run('prune', task, '--keep-last', '1', '--dry-run', ...opened)).code).toBe(0);
  });

  it('undo a change in the store that was named, or is named in the receipt', async () => {
    const { out } = await place.run('restore', `${task}/two`, '--yes', ...opened);
    const [, receipt = ''] = /undo: checkpoint-inspector undo (\S+) -s 'runs=my runs.db'\n/.exec(out) ?? [];
    const elsewhere = await place.run('undo', receipt, '-s', place.langgraph());
    expect(elsewhere.err).toContain(`Run: checkpoint-inspector undo ${receipt} -s '${path}'`);
    expect((await place.run('undo', receipt, '--yes', ...opened)).code).toBe(0);
  });

  it('are not all that is safe on a terminal: so are the words of errors', async () => {
    for (const command of ['errors', 'inbox'])
      expect((await place.run(command, ...opened)).out).not.toContain('\u001b');
  });
});
