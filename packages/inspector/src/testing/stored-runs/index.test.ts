import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  equalJson,
  formatPath,
  parseJson,
  parsePath,
  sourceOf,
  storeIdFrom,
  valueAt,
} from '@checkpoint-inspector/core';
import { collect, isHit, plantedCase } from '@checkpoint-inspector/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultRegistry } from '../../stores/registry.ts';
import { inStore, storeCase } from './stored-case.ts';
import { STORED_SYSTEMS, type StoredSystem } from './types.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-case-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Failed with its error beside the state, and with forks. */
const CASE = Array.from({ length: 40 }, (_none, seed) => seed)
  .map((seed) => plantedCase(seed))
  .find(({ steps, head }) => {
    const parents = steps.flatMap(({ parent }) => parent ?? []);
    return steps.find(({ id }) => id === head)?.error !== undefined && new Set(parents).size < parents.length;
  });

async function written(system: StoredSystem) {
  if (!CASE) throw new Error('No such case.');
  const stored = await storeCase(system, CASE, folder);
  const [source] = await defaultRegistry().open(stored.path, {
    label: 'stored',
    location: stored.path,
    nameStore: (name) => storeIdFrom(name, () => false),
  });
  if (!source) throw new Error('Nothing to open.');
  const { items } = await source.tasks({});
  const task = items[0]?.id ?? '';
  return { planted: CASE, stored, source, task, items };
}

describe.each(STORED_SYSTEMS)('a made-up run in %s', (system) => {
  it('is read back with its states, at the places that it names', async () => {
    const { planted, stored, source, task } = await written(system);
    for (const step of planted.steps) {
      const id = stored.ids.get(step.id);
      if (id === undefined) continue;
      const state = await source.state({ task, id });
      const text = state?.text ?? '';
      for (const place of stored.places) {
        const node = valueAt(text, parseJson(text), place);
        expect(node && equalJson(sourceOf(text, node), step.text)).toBe(true);
      }
    }
    await source.close?.();
  });

  it('has the parents of its branch, and those of its forks where it says nothing else', async () => {
    const { planted, stored, source, task } = await written(system);
    const rows = new Map((await collect(source.lineage(task))).map((row) => [row.id, row.parent?.id]));
    for (const { id, parent } of planted.steps) {
      const own = stored.ids.get(id);
      if (own !== undefined) expect(rows.get(own)).toBe(parent === undefined ? undefined : stored.ids.get(parent));
    }
    expect(stored.ids.size < planted.steps.length).toBe(stored.left !== undefined);
    await source.close?.();
  });

  it('tells its error, and where its culprit is', async () => {
    const { planted, stored, source, task, items } = await written(system);
    const mapped = inStore(planted, stored);
    for (const { checkpoint, path } of mapped.culprits) expect(isHit({ id: checkpoint, path }, mapped)).toBe(true);
    const meta = await source.meta({ task, id: mapped.head });
    if (system === 'agent-framework-python') expect(meta?.status).toBe('running');
    else expect([meta?.status, items[0]?.status]).toEqual(['failed', 'failed']);
    const [first] = planted.culprits;
    const place = formatPath([...(stored.places[0] ?? []), ...parsePath(first?.path ?? '$')]);
    expect(mapped.culprits[0]?.path).toBe(place);
    await source.close?.();
  });
});
