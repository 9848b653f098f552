import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page, PlanView, Receipt } from '@checkpoint-inspector/core';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('fork, receipts and undo', () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const other = place.kaizen('elsewhere/kaizen');
  const langgraph = place.langgraph();
  const json = <T>(...args: string[]) => place.json(...args) as T;
  const rowsOf = (task: string, store: string) => json<Page<CheckpointMeta>>('list', task, '-s', store).items;

  it('forks by plan, proves it, and undoes it', () => {
    const from = rowsOf('research_agent', kaizen)[2]?.id ?? '';
    const plan = json<PlanView>('fork', from, '--dry-run', '-s', kaizen);
    expect(plan).toMatchObject({ request: { kind: 'fork' }, writes: { count: 1 } });
    const before = rowsOf('research_agent', kaizen).length;
    expect(place.run('fork', from, '-s', kaizen)).toMatchObject({ code: ERROR_CODES.invalid_input.exit });
    const receipt = json<Receipt>('fork', from, '--to', 'second_try', '--yes', '-s', kaizen);
    expect(receipt).toMatchObject({ proof: 'same', targetTask: 'second_try' });
    expect(rowsOf('second_try', kaizen)).toHaveLength(1);
    json<Receipt>('undo', '-s', kaizen);
    expect(rowsOf('research_agent', kaizen)).toHaveLength(before);
  });

  it('says why where a system forks only into a new task', () => {
    const id = rowsOf('fork-demo', langgraph)[0]?.id ?? '';
    const refused = place.run('fork', id, '--task', 'fork-demo', '--yes', '-s', langgraph);
    const into = place.run('fork', id, '--task', 'fork-demo', '--to', 'fork-two', '--yes', '-s', langgraph);
    expect(into.code).toBe(0);
    expect([0, ERROR_CODES.unsupported.exit, ERROR_CODES.invalid_input.exit]).toContain(refused.code);
    expect(rowsOf('fork-two', langgraph).length).toBeGreaterThan(0);
  });

  it('undo takes the last change of the named store, and never one of another store', () => {
    const id = (store: string) => rowsOf('research_agent', store).at(-1)?.id ?? '';
    const first = json<Receipt>('restore', id(kaizen), '--yes', '-s', kaizen);
    // The same name, another place.
    const none = place.run('undo', '-s', other);
    expect(none.code).toBe(ERROR_CODES.not_found.exit);
    expect(none.err).toContain('no change to undo in kaizen');
    const second = json<Receipt>('restore', id(other), '--yes', '-s', other);
    const undone = json<Receipt>('undo', '-s', kaizen);
    expect(undone.request).toMatchObject({ kind: 'undo', receiptId: first.id });
    expect(json<{ items: Receipt[] }>('receipts', '-s', other).items.map((receipt) => receipt.id)).toEqual([second.id]);
    json<Receipt>('undo', second.id, '-s', other);
  });

  it('finds a change again under another name of the store, and says how to undo it', () => {
    const receipt = json<Receipt>(
      'restore',
      rowsOf('research_agent', other).at(-1)?.id ?? '',
      '--yes',
      '-s',
      `prod=${other}`,
    );
    const told = place.run('undo', '-s', other);
    expect(told.code).toBe(ERROR_CODES.no_store.exit);
    expect(told.err).toContain(`undo ${receipt.id} -s prod=`);
    json<Receipt>('undo', receipt.id, '-s', `prod=${other}`);
  });

  it('lists what was changed, what can be undone, and how to go on', () => {
    const receipt = json<Receipt>('restore', rowsOf('research_agent', kaizen).at(-1)?.id ?? '', '--yes', '-s', kaizen);
    const { items } = json<{ items: Receipt[] }>('receipts', '-s', kaizen);
    expect(items[0]).toMatchObject({ id: receipt.id, undoable: true, store: 'kaizen', task: 'research_agent' });
    expect(json<{ items: Receipt[] }>('receipts', '-s', kaizen, '--limit', '1').items).toHaveLength(1);
    const { out } = place.run('receipts', '-s', kaizen);
    expect(out).toMatch(/RECEIPT +WHEN +WHAT +STORE +TASK +DONE +UNDO +NEXT/);
    expect(out).toMatch(new RegExp(`${receipt.id}.*restore .*1 written.*yes`));
    expect(out).toContain('undone by');
    expect(json<{ items: Receipt[] }>('receipts').items.length).toBeGreaterThan(items.length);
  });

  it('lists nothing on a fresh machine, and leaves nothing behind', () => {
    const fresh = workplace();
    expect(fresh.run('receipts').out).toBe('Nothing was changed yet.\n');
    expect(fresh.hasState()).toBe(false);
  });
});
