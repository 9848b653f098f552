import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, HistoryRow, LineageRow, Page, PlanView, Receipt, Task } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('the command on real stores', () => {
  const place = workplace();
  const langgraph = place.langgraph();
  const kaizen = place.kaizen();
  const json = async <T>(...args: string[]) => (await place.json(...args)) as T;
  /** Of the built command: what changes a store is tried as it is published. */
  const built = <T>(...args: string[]) => place.startJson(...args) as T;

  it('lists the 16 threads and 477 checkpoints of LangGraph, and the 5 agents and 13 checkpoints of Kaizen', async () => {
    const threads = (await json<Page<Task>>('tasks', '-s', langgraph)).items;
    expect(threads).toHaveLength(16);
    expect(threads.reduce((sum, task) => sum + task.checkpointCount, 0)).toBe(477);
    const agents = (await json<Page<Task>>('tasks', '-s', kaizen)).items;
    expect(agents.map((task) => [task.id, task.checkpointCount]).toSorted()).toEqual([
      ['autonomous_agent', 2],
      ['done_agent', 1],
      ['experimental_agent', 1],
      ['research_agent', 7],
      ['writer-агент ✍️', 2],
    ]);
  });

  it('finds stores below the working folder when none is named', async () => {
    const systems = (await json<Page<Task>>('tasks')).items.map((task) => task.system);
    expect(new Set(systems)).toEqual(new Set(['langgraph', 'kaizen']));
  });

  it('names the 3 fork points of fork-demo', async () => {
    const { items } = await json<{ items: LineageRow[] }>('tree', 'fork-demo', '-s', langgraph);
    const children = new Map<string, number>();
    for (const { parent } of items) if (parent) children.set(parent.id, (children.get(parent.id) ?? 0) + 1);
    expect([...children.values()].filter((count) => count > 1)).toHaveLength(3);
    expect((await place.run('tree', 'fork-demo', '-s', langgraph)).out).toContain('3 fork points');
  });

  it('shows when a value changed and who changed it', async () => {
    const answer = await json<{ items: HistoryRow[]; examined: number; of: number; readable: number }>(
      'history',
      'research_agent',
      '$.step_number',
      '-s',
      kaizen,
    );
    expect(answer.items.length).toBeGreaterThan(1);
    expect(answer.items.at(-1)?.kind).toBe('set');
    expect(answer).toMatchObject({ examined: answer.of, readable: answer.of });
    const told = await place.run('history', 'research_agent', '$.step_number', '-s', kaizen);
    expect(told.out).toContain(`${answer.of} of ${answer.of} checkpoints examined`);
    expect(told.out.split('\n')[1]).toContain(' → ');
    expect((await place.run('history', 'research_agent', 'no path', '-s', kaizen)).code).toBe(2);
  });

  it('restores by plan, proves it, and undoes it byte for byte', () => {
    const before = snapshot(kaizen);
    const rows = built<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen).items;
    const target = rows.at(-1);
    if (!target) throw new Error('research_agent has checkpoints');

    const plan = built<PlanView>('restore', target.id, '--dry-run', '-s', kaizen);
    expect(plan.writes.count).toBe(1);
    expect(snapshot(kaizen)).toEqual(before);

    const receipt = built<Receipt>('restore', target.id, '--yes', '-s', kaizen);
    expect(receipt).toMatchObject({ proof: 'same', failed: [] });
    const latest = built<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen).items[0];
    expect(latest).toMatchObject({ id: receipt.latestNow.ref?.id, parentId: target.id, isLatest: true });

    built<Receipt>('undo', '--yes', receipt.id, '-s', kaizen);
    expect(snapshot(kaizen)).toEqual(before);
  });

  it('deletes to the trash and undoes it', () => {
    const before = snapshot(kaizen);
    const rows = built<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen).items;
    const id = rows[2]?.id ?? '';
    built<Receipt>('delete', id, '--yes', '-s', kaizen);
    expect(built<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen).items).toHaveLength(rows.length - 1);
    built<Receipt>('undo', '--yes', '-s', kaizen);
    expect(snapshot(kaizen)).toEqual(before);
  });

  it('asks before it changes: without --yes and without a terminal nothing happens', () => {
    const before = snapshot(kaizen);
    const rows = built<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen).items;
    const done = place.start('restore', rows[1]?.id ?? '', '-s', kaizen);
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toContain('--yes');
    expect(snapshot(kaizen)).toEqual(before);
  });

  it('shows a state as stored, and what changed between two', async () => {
    const rows = (await json<Page<CheckpointMeta>>('list', 'research_agent', '-s', kaizen)).items;
    const [newer, older] = [rows[0]?.id ?? '', rows[1]?.id ?? ''];
    const file = readFileSync(`${kaizen}/${newer}.jsonl`, 'utf8');
    expect((await place.run('show', newer, '-s', kaizen)).out).toBe(file);
    const text = (await place.run('diff', older, newer, '-s', kaizen)).out;
    expect(text).toMatch(/^\+\d+ -\d+ ~\d+ ↕\d+\n/);
    const named = await place.run('diff', 'research_agent/latest~1', 'research_agent/latest', '-s', kaizen, '--steps');
    expect(named.out.split('\n')[1]).toMatch(/\(#\d+.*\)$/);
    const steps = await json<{ steps: unknown }>('diff', newer, older, '-s', kaizen, '--steps');
    expect(steps.steps).toMatchObject({ onLine: false, items: [] });
    expect((await json<{ items: unknown[] }>('diff', newer, newer, '-s', kaizen)).items).toEqual([]);
  });

  it("answers doctor with the journal's place", async () => {
    expect((await place.run('doctor')).out).toContain(place.state);
  });
});

function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(`${folder}/${name}`, 'base64')]),
  );
}
