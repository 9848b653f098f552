import { MemoryStore, storeId, type CheckpointMeta } from '@checkpoint-inspector/core';
import { describe, expect, it, vi } from 'vitest';
import { compareRuns } from './compare.ts';
import { RUN_LIMITS } from './states.ts';
import type { RunComparison, RunRow } from './types.ts';

type Fields = Pick<CheckpointMeta, 'description' | 'status' | 'trigger' | 'tokenUsage' | 'costUsd'>;
type Step = Partial<Fields> & { readonly state: object };

async function saveLine(store: MemoryStore, task: string, steps: readonly Step[], from?: { id: string; at: number }) {
  let parent = from?.id;
  for (const [at, { state, ...step }] of steps.entries()) {
    const id = `${task}-${from === undefined ? '' : 'fork-'}${at}`;
    const edge = parent === undefined ? {} : { parent: { task, id: parent } };
    await store.save({ task, id, text: JSON.stringify(state), stepIndex: (from?.at ?? 0) + at, ...step, ...edge });
    parent = id;
  }
}

const memory = (): MemoryStore => new MemoryStore({ id: storeId('m') });
const STEPS: readonly Step[] = [
  { description: 'plan', state: { cache: true }, tokenUsage: 10, costUsd: 0.1 },
  { description: 'fetch', state: { cache: true, revenue: 4200 }, tokenUsage: 20 },
  { description: 'rank', state: { cache: true, revenue: 4200, first: 'B', done: 1 } },
  {
    description: 'compile: inconsistent',
    state: { cache: true, revenue: 4200, first: 'B', done: 1 },
    status: 'failed',
  },
];
const FIXED: readonly Step[] = [
  { trigger: 'edit', description: 'edited $.cache', state: { cache: false } },
  { description: 'fetch', state: { cache: false, revenue: 4.2 }, tokenUsage: 25 },
  { description: 'rank', state: { cache: false, revenue: 4.2, first: 'A', done: 1 } },
  {
    description: 'compile',
    state: { cache: false, revenue: 4.2, first: 'A', done: 1, report: 'A leads' },
    status: 'completed',
  },
];

/** A run that failed, and a fork of it that was edited and completed. */
async function forked() {
  const store = memory();
  await saveLine(store, 't', STEPS);
  await saveLine(store, 't', FIXED, { id: 't-0', at: 1 });
  const run = (cp: string) => ({ source: store, query: { task: 't', cp } });
  return { store, a: run('t-3'), b: run('t-fork-3') };
}

const verdicts = ({ rows }: RunComparison): string[] =>
  rows.map(({ verdict, a, b, differ, of }: RunRow) =>
    [a?.ref.id ?? '-', b?.ref.id ?? '-', verdict, ...(differ === undefined ? [] : [`${differ}/${of}`])].join(' '),
  );

describe('two branches', () => {
  it('are aligned, and say where they first differ and what each step changed', async () => {
    const { a, b } = await forked();
    const found = await compareRuns(a, b);
    expect(verdicts(found)).toEqual([
      't-0 t-0 same',
      '- t-fork-0 only-b',
      't-1 t-fork-1 differs 1/1',
      't-2 t-fork-2 differs 1/2',
      't-3 t-fork-3 differs 1/1',
    ]);
    expect(found.shared).toBe(1);
    expect(found.first).toEqual({
      row: 1,
      difference: { path: '$.cache', kind: 'changed', before: 'true', after: 'false' },
    });
    expect(found.rows[4]).toMatchObject({ outcome: true, b: { changed: 1, changes: [{ path: '$.report' }] } });
    expect(found.a).toMatchObject({ lane: 'main', status: 'failed', steps: 4, tokens: { value: '30', said: 2 } });
    expect(found.b).toMatchObject({ lane: 'f1', status: 'completed', steps: 5, costUsd: { value: '0.1', said: 1 } });
    expect(found.b.durationMs).toBeUndefined();
    expect(found.end).toMatchObject({ summary: { added: 1, changed: 3 }, equal: 1 });
    expect(found.examined).toEqual({ n: 4, of: 4, gaps: [] });
  });

  it('say the same of each other when they are swapped', async () => {
    const { a, b } = await forked();
    const found = await compareRuns(b, a);
    expect(found.rows.map(({ verdict }) => verdict)).toEqual(['same', 'only-a', 'differs', 'differs', 'differs']);
    expect(found.first?.difference).toMatchObject({ path: '$.cache', before: 'false', after: 'true' });
  });

  it('read each state once, and none that both have', async () => {
    const { store, a, b } = await forked();
    const read = vi.spyOn(store, 'state');
    await compareRuns(a, b);
    const ids = read.mock.calls.map(([{ id }]) => id);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it('end with the caller', async () => {
    const { a, b } = await forked();
    await expect(compareRuns(a, b, { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left');
  });
});

describe('two tasks', () => {
  const runs = async (left: readonly Step[], right: readonly Step[]) => {
    const store = memory();
    await saveLine(store, 'a', left);
    await saveLine(store, 'b', right);
    return {
      store,
      found: () => compareRuns({ source: store, query: { task: 'a' } }, { source: store, query: { task: 'b' } }),
    };
  };

  it('are the same as far as their states are, without clocks', async () => {
    const at = (time: string): Step[] => STEPS.map((step) => ({ ...step, state: { ...step.state, time } }));
    const { found } = await runs(at('2026-03-01T10:00:00Z'), at('2026-03-01T11:00:00Z'));
    const { rows, first, shared } = await found();
    expect(rows.map(({ verdict }) => verdict)).toEqual(['same', 'same', 'same', 'same']);
    expect([first, shared]).toEqual([undefined, 0]);
  });

  it('may differ from the first step on, and still make the same change', async () => {
    const { found } = await runs(
      [{ state: { seed: 'x', log: 0 } }, { state: { seed: 'x', log: 'done' } }],
      [{ state: { seed: 'y', log: 0 } }, { state: { seed: 'y', log: 'done' } }],
    );
    const { rows, first } = await found();
    expect(first).toMatchObject({ row: 0, difference: { path: '$.seed', before: '"x"', after: '"y"' } });
    expect(rows[0]).toMatchObject({ verdict: 'differs', differ: 1, a: { changes: [{ after: '"x"' }] } });
    expect(rows[1]).toMatchObject({ verdict: 'same-change' });
  });

  it('name a state that is too large, and do not read it', async () => {
    const large = { text: 'x'.repeat(RUN_LIMITS.stateBytes + 1) };
    const { store, found } = await runs(
      [{ state: large }, { state: { n: 1 } }],
      [{ state: large }, { state: { n: 2 } }],
    );
    const read = vi.spyOn(store, 'state');
    const { rows, first, examined } = await found();
    expect(rows.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown']);
    expect(first?.row).toBe(1);
    expect(examined.gaps).toEqual([
      { side: 'a', ref: { task: 'a', id: 'a-0' }, seq: 1, reason: 'Its state is larger than 1 MB.' },
      { side: 'b', ref: { task: 'b', id: 'b-0' }, seq: 1, reason: 'Its state is larger than 1 MB.' },
    ]);
    expect(read.mock.calls.map(([{ id }]) => id)).toEqual(['a-1', 'b-1']);
  });

  it('send the part around the first difference of very long runs', async () => {
    const long = Array.from({ length: RUN_LIMITS.sent + 500 }, (): Step => ({ state: {} }));
    const { found } = await runs(long, [...long, { state: { late: 1 } }]);
    const { rows, before, after, first } = await found();
    expect([rows.length + before + after, after]).toEqual([long.length + 1, 0]);
    expect(rows[first?.row ?? -1]?.verdict).toBe('only-b');
  }, 30_000);
});
