/** The same random operations on a store and on the memory store, which says what each has to answer. */
import {
  InspectorError,
  MemoryStore,
  type CheckpointRef,
  type CheckpointStore,
  type NewCheckpoint,
  type NewValue,
} from '@checkpoint-inspector/core';
import { anyValue, collect, rngOf, type Rng } from '@checkpoint-inspector/core/testing';
import { expect } from 'vitest';
import type { OpenStore } from './places.ts';

const STEPS = 25;
const TASKS = ['a', 'b', 'ä 😀'];
const IDS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const STATUSES = ['running', 'completed', 'failed', 'unknown'] as const;

/** Opens an empty store with that limit. */
export type OpenEmpty = (limit: { readonly maxPerTask?: number }) => Promise<OpenStore>;

/** Histories of these seeds. @throws Error that names the seed */
export async function compareHistories(open: OpenEmpty, first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    await compareHistory(open, seed).catch((cause: unknown) => {
      throw new Error(`Seed ${seed}.`, { cause });
    });
  }
}

async function compareHistory(open: OpenEmpty, seed: number): Promise<void> {
  const rng = rngOf('history', seed);
  const limit = rng.chance(0.4) ? { maxPerTask: rng.int(1, 4) } : {};
  const store = await open(limit);
  const model = new MemoryStore({ id: store.info.id, ...limit });
  for (let step = 0; step < STEPS; step++) {
    const act = anyAct(rng, step);
    expect(await answer(store, act), `step ${step}`).toEqual(await answer(model, act));
    if (rng.chance(0.2)) expect(await contents(store)).toEqual(await contents(model));
  }
  expect(await contents(store)).toEqual(await contents(model));
  await store.close();
}

type Act = (store: CheckpointStore) => Promise<unknown>;

function anyAct(rng: Rng, step: number): Act {
  const ref = anyRef(rng);
  const kind = rng.next();
  if (kind < 0.1) return (store) => store.remove(ref);
  if (kind < 0.13) return async (store) => store.removeTask?.(ref.task);
  if (kind < 0.3) {
    const channel = rng.pick(['messages', '__error__', '__interrupt__']);
    const text = JSON.stringify(rng.pick(['text', { message: 'failed' }, [1.5]]));
    const writes = Array.from({ length: rng.int(1, 3) }, (_, index) => ({
      run: `r${index % 2}`,
      index,
      channel,
      text,
    }));
    const options = { ifExists: rng.pick(['keep', 'replace'] as const) };
    return async (store) => store.saveWrites?.(ref, writes, options);
  }
  const checkpoint = anyCheckpoint(rng, ref, step);
  const options = {
    ifExists: rng.chance(0.2) ? ('refuse' as const) : ('replace' as const),
    immutable: rng.chance(0.3),
  };
  return (store) => store.save(checkpoint, options);
}

function anyRef(rng: Rng): CheckpointRef {
  return { task: rng.pick(TASKS), id: rng.pick(IDS), ...(rng.chance(0.2) ? { namespace: 'inner' } : {}) };
}

function anyCheckpoint(rng: Rng, ref: CheckpointRef, step: number): NewCheckpoint | NewValue {
  const status = rng.pick(STATUSES);
  const about = {
    ...ref,
    // Clocks go back, and two saves may have one time.
    createdAt: new Date(Date.UTC(2026, 0, rng.int(1, 3), 0, 0, rng.int(0, step))).toISOString(),
    ...(rng.chance(0.4) ? { parent: anyRef(rng) } : {}),
    ...(rng.chance(0.2) ? { beside: '{"next": ["tool"]}' } : {}),
    ...(status === 'unknown' ? {} : { status }),
    ...(rng.chance(0.3) ? { stepIndex: step, description: `step ${step}`, durationMs: 0.1 + step } : {}),
  };
  const value = { step, any: anyValue(rng) };
  return rng.chance(0.5) ? { ...about, value } : { ...about, text: JSON.stringify(value, undefined, rng.int(0, 2)) };
}

/** What it said, or why it refused. A revision belongs to the store that made it. */
async function answer(store: CheckpointStore, act: Act): Promise<unknown> {
  try {
    return withoutRevisions(await act(store));
  } catch (error) {
    if (InspectorError.is(error)) return { code: error.code };
    throw error;
  }
}

/** Everything that can be asked. */
async function contents(store: CheckpointStore): Promise<unknown> {
  const tasks = await store.tasks();
  const all: unknown[] = [tasks.items];
  for (const task of TASKS) {
    const listed = await everyPage(store, task);
    all.push(listed, await collect(store.lineage(task)), await store.latest(task));
    for (const { id, namespace } of listed) {
      const ref = { task, id, ...(namespace === undefined ? {} : { namespace }) };
      all.push(await store.load?.(ref), await store.meta(ref), await store.beside?.(ref), await store.find(id));
    }
  }
  return withoutRevisions(all);
}

async function everyPage(store: CheckpointStore, task: string) {
  const items = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.checkpoints(task, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    ({ cursor } = page);
    if (cursor === undefined) return items;
  }
}

function withoutRevisions(value: unknown): unknown {
  const own = new Set(['revision', 'sha256']);
  return JSON.parse(JSON.stringify(value ?? null, (key, member: unknown) => (own.has(key) ? undefined : member)));
}
