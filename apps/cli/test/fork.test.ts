import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page, PlanView, Receipt } from '@checkpoint-inspector/core';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('fork, receipts and undo', () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const other = place.kaizen('elsewhere/kaizen');
  const langgraph = place.langgraph();
  const json = async <T>(...args: string[]) => (await place.json(...args)) as T;
  const rowsOf = async (task: string, store: string) =>
    (await json<Page<CheckpointMeta>>('list', task, '-s', store)).items;

  it('forks by plan, proves it, and undoes it', async () => {
    const from = (await rowsOf('research_agent', kaizen))[2]?.id ?? '';
    const plan = await json<PlanView>('fork', from, '--dry-run', '-s', kaizen);
    expect(plan).toMatchObject({ request: { kind: 'fork' }, writes: { count: 1 } });
    const before = (await rowsOf('research_agent', kaizen)).length;
    expect(await place.run('fork', from, '-s', kaizen)).toMatchObject({ code: ERROR_CODES.invalid_input.exit });
    const receipt = await json<Receipt>('fork', from, '--to', 'second_try', '--yes', '-s', kaizen);
    expect(receipt).toMatchObject({ proof: 'same', targetTask: 'second_try' });
    expect(await rowsOf('second_try', kaizen)).toHaveLength(1);
    const asked = await place.run('undo', '-s', kaizen);
    expect(asked).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
    expect(asked.err).toContain('undo in kaizen, task research_agent');
    expect(asked.err).toContain(`  ${receipt.written[0]?.id}  written by the change being undone`);
    expect(asked.err).toContain(`this undoes: fork ${from}, applied ${receipt.appliedAt}, receipt ${receipt.id}`);
    expect(asked.err).toContain('--yes');
    expect(await rowsOf('second_try', kaizen)).toHaveLength(1);
    await json<Receipt>('undo', '--yes', '-s', kaizen);
    expect(await rowsOf('research_agent', kaizen)).toHaveLength(before);
  });

  it('says why where a system forks only into a new task', async () => {
    const id = (await rowsOf('fork-demo', langgraph))[0]?.id ?? '';
    const refused = await place.run('fork', id, '--task', 'fork-demo', '--yes', '-s', langgraph);
    const into = await place.run('fork', id, '--task', 'fork-demo', '--to', 'fork-two', '--yes', '-s', langgraph);
    expect(into.code).toBe(0);
    expect([0, ERROR_CODES.unsupported.exit, ERROR_CODES.invalid_input.exit]).toContain(refused.code);
    expect((await rowsOf('fork-two', langgraph)).length).toBeGreaterThan(0);
  });

  it('undo takes the last change of the named store, and never one of another store', async () => {
    const id = async (store: string) => (await rowsOf('research_agent', store)).at(-1)?.id ?? '';
    const first = await json<Receipt>('restore', await id(kaizen), '--yes', '-s', kaizen);
    // The same name, another place.
    const none = await place.run('undo', '-s', other);
    expect(none.code).toBe(ERROR_CODES.not_found.exit);
    expect(none.err).toContain('no change to undo in kaizen');
    const second = await json<Receipt>('restore', await id(other), '--yes', '-s', other);
    const undone = await json<Receipt>('undo', '--yes', '-s', kaizen);
    expect(undone.request).toMatchObject({ kind: 'undo', receiptId: first.id });
    expect((await json<{ items: Receipt[] }>('receipts', '-s', other)).items.map((receipt) => receipt.id)).toEqual([
      second.id,
    ]);
    await json<Receipt>('undo', '--yes', second.id, '-s', other);
  });

  it('undoes a change under another name of the store, and says how to where it is not open', async () => {
    const receipt = await json<Receipt>(
      'restore',
      (await rowsOf('research_agent', other)).at(-1)?.id ?? '',
      '--yes',
      '-s',
      `prod=${other}`,
    );
    const told = await place.run('undo', receipt.id, '-s', `prod=${kaizen}`);
    expect(told.code).toBe(ERROR_CODES.no_store.exit);
    expect(told.err).toContain(`undo ${receipt.id} -s ${other}`);
    expect(await json<Receipt>('undo', '--yes', '-s', other)).toMatchObject({ proof: 'same', store: 'kaizen' });
  });

  it('lists what was changed, what can be undone, and how to go on', async () => {
    const receipt = await json<Receipt>(
      'restore',
      (await rowsOf('research_agent', kaizen)).at(-1)?.id ?? '',
      '--yes',
      '-s',
      kaizen,
    );
    const { items } = await json<{ items: Receipt[] }>('receipts', '-s', kaizen);
    expect(items[0]).toMatchObject({ id: receipt.id, undoable: true, store: 'kaizen', task: 'research_agent' });
    expect((await json<{ items: Receipt[] }>('receipts', '-s', kaizen, '--limit', '1')).items).toHaveLength(1);
    const { out } = await place.run('receipts', '-s', kaizen);
    expect(out).toMatch(/RECEIPT +WHEN +WHAT +STORE +TASK +DONE +UNDO +NEXT/);
    expect(out).toMatch(new RegExp(`${receipt.id}.*restore .*1 written.*yes`));
    expect(out).toContain('undone by');
    expect((await json<{ items: Receipt[] }>('receipts')).items.length).toBeGreaterThan(items.length);
  });

  it('lists nothing on a fresh machine, and leaves nothing behind', async () => {
    const fresh = workplace();
    expect((await fresh.run('receipts')).out).toBe('No changes yet.\n');
    expect(fresh.hasState()).toBe(false);
  });
});
