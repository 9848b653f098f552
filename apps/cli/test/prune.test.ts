import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page, PlanView, Receipt } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('prune, storage and trash', () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const langgraph = { JavaScript: place.langgraph(), Python: place.langgraph('python.sqlite', 'py.sqlite') };
  const json = async <T>(...args: string[]) => (await place.json(...args)) as T;
  const list = async (task: string, store: string) =>
    (await json<Page<CheckpointMeta>>('list', task, '-s', store)).items;

  it('shows what a policy would take away, and changes nothing without a yes', async () => {
    const before = await list('research_agent', kaizen);
    const plan = await json<PlanView>('prune', 'research_agent', '--keep-last', '2', '--dry-run', '-s', kaizen);
    expect(plan.removes.count + plan.protected.count + (plan.leftOut?.others ?? 0)).toBe(before.length);
    const told = await place.run('prune', 'research_agent', '--keep-last', '2', '--dry-run', '-s', kaizen);
    expect(told.out).toContain(`${plan.removes.count} would be deleted`);
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
    for (const { id } of items) await json<Receipt>('undo', '--yes', id, '-s', kaizen);
    expect(await list('research_agent', kaizen)).toEqual(research);
    expect(await list('autonomous_agent', kaizen)).toEqual(autonomous);
  });

  it.each(['JavaScript', 'Python'] as const)(
    'prunes a thread of LangGraph for %s: children hang under what stays, and undo reverts that too',
    async (language) => {
      const store = langgraph[language];
      const before = await list('fork-demo', store);
      const receipt = await json<Receipt>('prune', 'fork-demo', '--keep-last', '3', '--yes', '-s', store);
      expect(receipt.removed.length).toBeGreaterThan(0);
      const left = await list('fork-demo', store);
      expect(left).toHaveLength(before.length - receipt.removed.length);
      expect(left[0]).toMatchObject({ id: before[0]?.id, isLatest: true });
      await json<Receipt>('undo', '--yes', receipt.id, '-s', store);
      expect(await list('fork-demo', store)).toEqual(before);
    },
  );

  it('restores and edits what Python wrote, with proof, and undo reverts both', async () => {
    const store = langgraph.Python;
    const before = await list('react-second', store);
    const target = before[3]?.id ?? '';
    const restored = await json<Receipt>('restore', target, '--task', 'react-second', '--yes', '-s', store);
    expect(restored).toMatchObject({ proof: 'same', undoable: true });
    const state = (await place.run('show', target, '--task', 'react-second', '-s', store)).out;
    const written = restored.written[0]?.id ?? '';
    expect((await place.run('show', written, '--task', 'react-second', '-s', store)).out).toBe(state);
    const file = place.path('edited.json');
    writeFileSync(file, state.replace('"content":"', '"content":"Again: '));
    const named = ['--task', 'react-second', '--file', file, '--yes', '-s', store];
    const edited = await json<Receipt>('edit', written, ...named);
    expect(edited).toMatchObject({ proof: 'same', undoable: true });
    await json<Receipt>('undo', '--yes', edited.id, '-s', store);
    await json<Receipt>('undo', '--yes', restored.id, '-s', store);
    expect(await list('react-second', store)).toEqual(before);
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
    expect(await json('trash', '-s', kaizen)).toMatchObject({ changes: 1, items: [{ receiptId: receipt.id }] });
    expect(await json('trash', '-s', langgraph.Python)).toMatchObject({ changes: 0, checkpoints: 0, items: [] });
    expect((await place.run('trash', 'purge')).code).toBe(2);
    expect(await json('trash', 'purge', '--expired', '--dry-run')).toMatchObject({ changes: [], checkpoints: 0 });
    expect(await json('trash', 'keep', '7')).toMatchObject({ keepDays: 7 });
    expect(await json('trash', 'purge', receipt.id, '--yes')).toMatchObject({ changes: 1, left: [] });
    const undone = await place.run('undo', receipt.id, '-s', kaizen);
    expect(undone.code).toBe(15);
    expect(undone.err).toContain('was emptied on');
  });
});
