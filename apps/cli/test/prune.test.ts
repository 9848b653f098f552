import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page, PlanView, Receipt } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('prune, storage and trash', () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const langgraph = place.langgraph();
  const json = async <T>(...args: string[]) => (await place.json(...args)) as T;
  const list = async (task: string, store: string) =>
    (await json<Page<CheckpointMeta>>('list', task, '-s', store)).items;

  it('shows what a policy would take away, and changes nothing without a yes', async () => {
    const before = await list('research_agent', kaizen);
    const plan = await json<PlanView>('prune', 'research_agent', '--keep-last', '2', '--dry-run', '-s', kaizen);
    expect(plan.removes.count + plan.protected.count + (plan.leftOut?.others ?? 0)).toBe(before.length);
    const told = await place.run('prune', 'research_agent', '--keep-last', '2', '--dry-run', '-s', kaizen);
    expect(told.out).toContain(`${plan.removes.count} would go`);
    expect(told.out).toContain('Nothing was changed.');
    const refused = await place.run('prune', 'research_agent', '--keep-last', '2', '-s', kaizen);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('--yes');
    expect(await list('research_agent', kaizen)).toEqual(before);
  });

  it.each([[[]], [['--older-than', 'soon']], [['--keep-last', '-1']], [['--status', 'broken']]])(
    'refuses %j',
    async (options) => {
      expect((await place.run('prune', 'research_agent', ...options, '-s', kaizen)).code).toBe(2);
    },
  );

  it('prunes several tasks by a plan each, and undo brings a task back as it was', async () => {
    const [research, autonomous] = [await list('research_agent', kaizen), await list('autonomous_agent', kaizen)];
    const args = ['prune', 'research_agent', 'autonomous_agent', '--keep-last', '1', '--yes', '-s', kaizen];
    const { items } = await json<{ items: Receipt[] }>(...args);
    expect(items.map(({ task }) => task)).toEqual(['research_agent', 'autonomous_agent']);
    expect(await list('research_agent', kaizen)).toHaveLength(research.length - (items[0]?.removed.length ?? 0));
    for (const { id } of items) await json<Receipt>('undo', id, '-s', kaizen);
    expect(await list('research_agent', kaizen)).toEqual(research);
    expect(await list('autonomous_agent', kaizen)).toEqual(autonomous);
  });

  it('prunes a thread of LangGraph: children hang under what stays, and undo takes that back too', async () => {
    const before = await list('fork-demo', langgraph);
    const receipt = await json<Receipt>('prune', 'fork-demo', '--keep-last', '3', '--yes', '-s', langgraph);
    expect(receipt.removed.length).toBeGreaterThan(0);
    const left = await list('fork-demo', langgraph);
    expect(left).toHaveLength(before.length - receipt.removed.length);
    expect(left[0]).toMatchObject({ id: before[0]?.id, isLatest: true });
    await json<Receipt>('undo', receipt.id, '-s', langgraph);
    expect(await list('fork-demo', langgraph)).toEqual(before);
  });

  it('says what stores, journal and trash take up', async () => {
    const report = await json<{ stores: { checkpoints: number; retention: string }[] }>('storage', '-s', kaizen);
    expect(report.stores).toMatchObject([{ checkpoints: 13, retention: expect.stringContaining('newest 100') }]);
    expect((await place.run('storage', '-s', kaizen)).out).toMatch(/^journal: [\d.]+ kB/m);
  });

  it('empties the trash of what was named, and says then that it cannot be undone', async () => {
    const receipt = await json<Receipt>('prune', 'writer-агент ✍️', '--keep-last', '1', '--yes', '-s', kaizen);
    const { items } = await json<{ items: { receiptId: string }[] }>('trash');
    expect(items.map(({ receiptId }) => receiptId)).toEqual([receipt.id]);
    expect((await place.run('trash', 'purge')).code).toBe(2);
    expect(await json('trash', 'purge', '--expired', '--dry-run')).toMatchObject({ changes: [], checkpoints: 0 });
    expect(await json('trash', 'keep', '7')).toMatchObject({ keepDays: 7 });
    expect(await json('trash', 'purge', receipt.id, '--yes')).toMatchObject({ changes: 1, left: [] });
    const undone = await place.run('undo', receipt.id, '-s', kaizen);
    expect(undone.code).toBe(15);
    expect(undone.err).toContain('was emptied on');
  });
});
