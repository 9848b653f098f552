import { expect } from 'vitest';
import type { SystemRequest } from '../../change/index.ts';
import { type CheckpointRef } from '../../model.ts';
import { checkpoint } from '../builders.ts';
import { allCheckpoints, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import type { OpenedStore, StoreContext } from '../store-context.ts';

const a: CheckpointRef = { task: 't', id: 'a' };
const TEXT = '{"state": "of a", "n": 1.0}';

/** Task t with a (TEXT), b, c. */
async function filled(open: StoreContext['open'], maxPerTask?: number): Promise<OpenedStore> {
  const opened = await open(maxPerTask === undefined ? {} : { maxPerTask });
  await opened.store.save(checkpoint('t', 'a', { text: TEXT }));
  for (const id of ['b', 'c']) await opened.store.save(checkpoint('t', id));
  return opened;
}

const idsOf = async ({ store }: OpenedStore, task = 't') => (await allCheckpoints(store, task)).map((meta) => meta.id);

export const planCases: readonly Case<StoreContext>[] = [
  {
    name: 'plan: writes nothing, whatever is asked',
    run: async ({ open }) => {
      const { store } = await filled(open, 3);
      const before = [await contents(store), await allCheckpoints(store, 't')];
      await store.plan({ kind: 'restore', ref: a });
      await store.plan({ kind: 'fork', ref: a, id: 'x', targetTask: 'try' });
      await store.plan({ kind: 'delete', refs: [a] });
      expect([await contents(store), await allCheckpoints(store, 't')]).toEqual(before);
    },
  },
  {
    name: 'plan: a kind of request that doesn’t exist is invalid_input',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'));
      for (const kind of ['restor', 'constructor', undefined]) {
        const planned = store.plan({ kind, ref: { task: 't', id: 'a' } } as unknown as SystemRequest);
        await expect(planned, String(kind)).rejects.toMatchObject({ code: 'invalid_input', data: { key: 'kind' } });
      }
    },
  },
  {
    name: 'plan: says what continues from the copy: the manager takes its own states only',
    run: async ({ open }) => {
      const { store } = await filled(open);
      const state = { id: 'm', taskId: 't', pendingSteps: [] };
      await store.save({ task: 't', id: 'm', value: state });
      const nextOf = async (request: SystemRequest) => (await store.plan(request)).view.next;
      const loads = expect.stringMatching(/store\.latest\("(t|try)"\).*store\.load\(ref\)/);
      expect(await nextOf({ kind: 'restore', ref: a })).toEqual(loads);
      expect(await nextOf({ kind: 'fork', ref: a, targetTask: 'try' })).toEqual(loads);
      expect(await nextOf({ kind: 'restore', ref: { task: 't', id: 'm' } })).toBe('await manager.restore("t")');
      expect(await nextOf({ kind: 'edit', ref: a, text: JSON.stringify(state) })).toBe('await manager.restore("t")');
    },
  },
  {
    name: 'restore: a copy, byte for byte, becomes the latest as a child of its source; the others stay',
    run: async ({ open }) => {
      const opened = await filled(open);
      const { store } = opened;
      const before = await contents(store);
      const plan = await store.plan({ kind: 'restore', ref: a });
      expect(plan.view).toMatchObject({
        task: 't',
        writes: { count: 1 },
        removes: { count: 0 },
        evicts: { count: 0 },
        warnings: [{ code: 'agent_active' }],
      });
      expect(plan.view.latestBefore.ref).toEqual({ task: 't', id: 'c' });
      await opened.apply(plan);
      expect(await idsOf(opened)).toEqual(['a-restored-1', 'c', 'b', 'a']);
      const [copy] = await allCheckpoints(store, 't');
      expect(copy).toMatchObject({ parentId: 'a', lineage: 'recorded', trigger: 'restore', isLatest: true });
      expect((await store.latest('t')).ref).toEqual(plan.view.latestAfter);
      expect(await store.state({ task: 't', id: 'a-restored-1' })).toMatchObject({
        text: TEXT,
        revision: plan.view.proofHash,
      });
      expect(Object.fromEntries(await contents(store))).toMatchObject(Object.fromEntries(before));
    },
  },
  {
    name: 'restore: again, and of a copy, counts on',
    run: async ({ open }) => {
      const opened = await filled(open);
      for (const id of ['a', 'a', 'a-restored-2']) {
        await opened.apply(await opened.store.plan({ kind: 'restore', ref: { task: 't', id } }));
      }
      expect((await idsOf(opened)).slice(0, 3)).toEqual(['a-restored-3', 'a-restored-2', 'a-restored-1']);
    },
  },
  {
    name: 'restore: into a new task leaves the own one alone; a task that exists is refused',
    run: async ({ open }) => {
      const opened = await filled(open);
      await opened.apply(await opened.store.plan({ kind: 'restore', ref: a, targetTask: 'new' }));
      expect([await idsOf(opened), await idsOf(opened, 'new')]).toEqual([['c', 'b', 'a'], ['a-restored-1']]);
      expect((await allCheckpoints(opened.store, 'new'))[0]).toMatchObject({ parentId: 'a', parentTaskId: 't' });
      const again = opened.store.plan({ kind: 'restore', ref: a, targetTask: 'new' });
      await expect(again).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'restore: past maxPerTask names what it evicts now, also when that is the source itself',
    run: async ({ open }) => {
      const opened = await filled(open, 3);
      const plan = await opened.store.plan({ kind: 'restore', ref: a });
      expect(plan.view.evicts).toMatchObject({ count: 1, items: [{ ref: a, when: 'now' }] });
      expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['evicts', 'source_evicted', 'agent_active']);
      expect(plan.view.bytesFreed).toBeGreaterThan(0);
      await opened.apply(plan);
      expect(await idsOf(opened)).toEqual(['a-restored-1', 'c', 'b']);
      expect((await opened.store.state({ task: 't', id: 'a-restored-1' }))?.text).toBe(TEXT);
    },
  },
  {
    name: 'fork: takes an id and a task; an id that is taken is refused',
    run: async ({ open }) => {
      const opened = await filled(open);
      await opened.apply(await opened.store.plan({ kind: 'fork', ref: a }));
      await opened.apply(await opened.store.plan({ kind: 'fork', ref: a, id: 'x', targetTask: 'try' }));
      expect([await idsOf(opened), await idsOf(opened, 'try')]).toEqual([['a-fork-1', 'c', 'b', 'a'], ['x']]);
      expect((await opened.store.state({ task: 'try', id: 'x' }))?.text).toBe(TEXT);
      await expect(opened.store.plan({ kind: 'fork', ref: a, id: 'b' })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    },
  },
  {
    name: 'delete: removes those asked for and says what it means; the others stay',
    run: async ({ open }) => {
      const opened = await filled(open);
      await opened.apply(await opened.store.plan({ kind: 'restore', ref: a }));
      const refs = [a, { task: 't', id: 'c' }, a];
      const plan = await opened.store.plan({ kind: 'delete', refs });
      expect(plan.view).toMatchObject({ removes: { count: 2 }, latestAfter: { task: 't', id: 'a-restored-1' } });
      expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['parent_missing']);
      await opened.apply(plan);
      expect(await idsOf(opened)).toEqual(['a-restored-1', 'b']);
    },
  },
  {
    name: 'delete: of the latest, and of all, is warned of',
    run: async ({ open }) => {
      const opened = await filled(open);
      const [c, b, first] = (await idsOf(opened)).map((id) => ({ task: 't', id }));
      if (!c || !b || !first) throw new Error('Three checkpoints were saved.');
      const latest = await opened.store.plan({ kind: 'delete', refs: [c] });
      expect([latest.view.warnings[0]?.code, latest.view.latestAfter]).toEqual(['latest_deleted', b]);
      const all = await opened.store.plan({ kind: 'delete', refs: [first, b, c] });
      expect([all.view.warnings[0]?.code, all.view.latestAfter]).toEqual(['task_emptied', undefined]);
      await opened.apply(all);
      expect(await contents(opened.store)).toEqual(new Map());
    },
  },
  {
    name: 'plan: an unknown checkpoint, no checkpoint, and two tasks at once are refused',
    run: async ({ open }) => {
      const { store } = await filled(open);
      await store.save(checkpoint('other', 'z'));
      const gone = { task: 't', id: 'gone' };
      await expect(store.plan({ kind: 'restore', ref: gone })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.plan({ kind: 'delete', refs: [a, gone] })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.plan({ kind: 'delete', refs: [] })).rejects.toMatchObject({ code: 'invalid_input' });
      const mixed = [a, { task: 'other', id: 'z' }];
      await expect(store.plan({ kind: 'delete', refs: mixed })).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'apply: a restore whose source or head moved since the plan writes nothing',
    run: async ({ open }) => {
      for (const meanwhile of [checkpoint('t', 'd'), checkpoint('t', 'a', { text: '{"state": "other"}' })]) {
        const opened = await filled(open);
        const plan = await opened.store.plan({ kind: 'restore', ref: a });
        await opened.store.save(meanwhile);
        const before = await contents(opened.store);
        await expect((async () => opened.apply(plan))()).rejects.toMatchObject({ name: 'InspectorError' });
        expect(await contents(opened.store)).toEqual(before);
      }
    },
  },
  {
    name: 'apply: a delete is not refused by a save of another checkpoint meanwhile, but by one of its own',
    run: async ({ open }) => {
      const opened = await filled(open);
      const plan = await opened.store.plan({ kind: 'delete', refs: [a] });
      await opened.store.save(checkpoint('t', 'd'));
      await opened.apply(plan);
      expect(await idsOf(opened)).toEqual(['d', 'c', 'b']);
      const stale = await opened.store.plan({ kind: 'delete', refs: [{ task: 't', id: 'b' }] });
      await opened.store.save(checkpoint('t', 'b', { text: '"new"' }));
      await expect((async () => opened.apply(stale))()).rejects.toMatchObject({ name: 'InspectorError' });
      expect(await idsOf(opened)).toEqual(['d', 'c', 'b']);
    },
  },
];
