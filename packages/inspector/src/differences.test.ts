import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffJson, refOfMeta, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqliteStore, type SqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { differencesBetween } from './differences.ts';
import { stepsBetween } from './history/steps.ts';
import { createSummaries } from './stores/summaries.ts';

let folder: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'differences-'));
  store = await openSqliteStore({ path: join(folder, 'store.db') });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Counts the states that are read as texts. */
function counted(source: SqliteStore): { readonly source: CheckpointSource; reads(): number } {
  let reads = 0;
  const counting = new Proxy<CheckpointSource>(source, {
    get(_, key) {
      if (key === 'state') reads++;
      const value: unknown = Reflect.get(source, key, source);
      return typeof value === 'function' ? value.bind(source) : value;
    },
  });
  return { source: counting, reads: () => reads };
}

const message = (n: number) => ({ id: `m${n}`, content: `${n} `.repeat(200) });

/** States of more than a megabyte, each with one message more. */
async function saveRun(steps: number, messages: number): Promise<void> {
  const all = Array.from({ length: messages + steps }, (_, n) => message(n));
  for (let step = 0; step < steps; step++) {
    const parent = step === 0 ? {} : { parent: { task: 't', id: `c${step - 1}` } };
    await store.save({
      task: 't',
      id: `c${step}`,
      ...parent,
      value: { step, messages: all.slice(0, messages + step) },
    });
  }
}

const at = (id: string) => ({ task: 't', id });

describe('states of a store that compares them itself', () => {
  it('are summed up, however large they are, without a text', async () => {
    await saveRun(5, 1_500);
    const { source, reads } = counted(store);
    const page = await createSummaries().fill(source, await source.checkpoints('t'));
    expect(page.items.map(({ changes }) => changes)).toEqual([2, 2, 2, 2, undefined]);
    expect(page.items[0]?.sizeBytes).toBeGreaterThan(1_000_000);
    expect(page.items[0]?.summary).toContain('messages');
    expect(reads()).toBe(0);
  });

  it('tell which step changed what without a text', async () => {
    await saveRun(4, 1_500);
    const { source, reads } = counted(store);
    const { items, complete } = await stepsBetween(source, at('c0'), at('c3'), []);
    expect(complete).toBe(true);
    expect(items).toEqual([
      { path: '$.step', kind: 'changed', at: [2, 1, 0], count: 3 },
      { path: '$.messages[1500]', kind: 'added', at: [0], count: 1 },
      { path: '$.messages[1501]', kind: 'added', at: [1], count: 1 },
      { path: '$.messages[1502]', kind: 'added', at: [2], count: 1 },
    ]);
    expect(reads()).toBe(0);
  });

  it('are compared without a text where they are large, and say how much is equal where they are small', async () => {
    await saveRun(2, 1_500);
    const { source, reads } = counted(store);
    const [a, b] = [at('c0'), at('c1')].map((ref) => ({ source, ref }));
    if (!a || !b) throw new Error('There are two.');
    const textOf = async ({ ref }: typeof a) => (await source.state(ref))?.text ?? '';
    const { equal: _, ...whole } = diffJson(await textOf(a), await textOf(b));
    const before = reads();
    const { equal, ...found } = await differencesBetween(a, b, { ignore: [] }, textOf);
    expect(found).toMatchObject(whole);
    expect([equal, reads() - before]).toEqual([undefined, 0]);
    await store.save({ ...at('small'), value: { step: 1, other: 1 } });
    await store.save({ ...at('next'), value: { step: 2, other: 1 } });
    const metas = [await store.meta(at('small')), await store.meta(at('next'))];
    const [c, d] = metas.flatMap((meta) => (meta ? [{ source, ref: refOfMeta(meta) }] : []));
    if (!c || !d) throw new Error('Both were saved.');
    expect(await differencesBetween(c, d, { ignore: [] }, textOf)).toMatchObject({ equal: 1 });
  });
});
