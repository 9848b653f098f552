import { expect } from 'vitest';
import type { CheckpointRef } from '../../model.ts';
import { checkpoint } from '../builders.ts';
import { allCheckpoints, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import type { OpenedStore, StoreContext } from '../store-context.ts';

const a: CheckpointRef = { task: 't', id: 'a' };
const TEXT = '{"cache": true, "big": 12345678901234567890}';
const EDITED = '{"cache": false, "big": 12345678901234567890}';
const edit = { kind: 'edit', ref: a, text: EDITED } as const;

/** Task t with a (TEXT), b, c. */
async function filled(open: StoreContext['open'], maxPerTask?: number): Promise<OpenedStore> {
  const opened = await open(maxPerTask === undefined ? {} : { maxPerTask });
  await opened.store.save(checkpoint('t', 'a', { text: TEXT, durationMs: 5, status: 'running' }));
  for (const id of ['b', 'c']) await opened.store.save(checkpoint('t', id));
  return opened;
}

export const editPlanCases: readonly Case<StoreContext>[] = [
  {
    name: 'edit: one child with exactly that text becomes the latest; the original and the others stay',
    run: async ({ open }) => {
      const opened = await filled(open);
      const { store } = opened;
      const before = await contents(store);
      const plan = await store.plan({ ...edit, reason: 'stale cache', author: 'Ann' });
      expect(plan.view).toMatchObject({
        writes: { count: 1 },
        evicts: { count: 0 },
        warnings: [{ code: 'agent_active' }],
      });
      expect(plan.view.latestAfter).toEqual({ task: 't', id: 'a-edit-1' });
      await opened.apply(plan);
      expect(await store.state({ task: 't', id: 'a-edit-1' })).toMatchObject({
        text: EDITED,
        revision: plan.view.proofHash,
      });
      const [child] = await allCheckpoints(store, 't');
      expect(child).toMatchObject({
        id: 'a-edit-1',
        parentId: 'a',
        lineage: 'recorded',
        trigger: 'edit',
        description: 'Edited by Ann: stale cache',
        status: 'running',
        sizeBytes: EDITED.length,
        isLatest: true,
      });
      expect(child).not.toHaveProperty('durationMs');
      expect((await store.latest('t')).ref).toEqual(plan.view.latestAfter);
      expect(Object.fromEntries(await contents(store))).toMatchObject(Object.fromEntries(before));
    },
  },
  {
    name: 'edit: into a new task leaves the own one alone; a task that exists is refused',
    run: async ({ open }) => {
      const opened = await filled(open);
      const idsOf = async (task: string) => (await allCheckpoints(opened.store, task)).map(({ id }) => id);
      await opened.apply(await opened.store.plan({ ...edit, targetTask: 'try' }));
      expect([await idsOf('t'), await idsOf('try')]).toEqual([['c', 'b', 'a'], ['a-edit-1']]);
      await expect(opened.store.plan({ ...edit, targetTask: 'try' })).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'edit: text that is no JSON, or that no file can keep, is refused with its place',
    run: async ({ open }) => {
      const { store } = await filled(open);
      const refused = async (text: string) => store.plan({ ...edit, text }).catch((error: unknown) => error);
      expect(await refused('{\n  "a": tru\n}')).toMatchObject({
        code: 'invalid_input',
        data: { offset: 9, line: 2, column: 8 },
      });
      expect(await refused('')).toMatchObject({ code: 'invalid_input', data: { offset: 0, line: 1, column: 1 } });
      expect(await refused('["x\ud800"]')).toMatchObject({
        code: 'invalid_input',
        data: { offset: 3, line: 1, column: 4 },
      });
    },
  },
  {
    name: 'edit: a text that says the same is saved with a warning, whatever its spelling',
    run: async ({ open }) => {
      const { store } = await filled(open);
      const plan = await store.plan({ ...edit, text: '{ "big": 12345678901234567890,\n "cache": true }' });
      expect(plan.view.warnings.map(({ code }) => code)).toEqual(['unchanged', 'agent_active']);
    },
  },
  {
    name: 'edit: an unknown checkpoint is not_found, before the text is looked at',
    run: async ({ open }) => {
      const { store } = await filled(open);
      const gone = { kind: 'edit', ref: { task: 't', id: 'gone' }, text: '{' } as const;
      await expect(store.plan(gone)).rejects.toMatchObject({ code: 'not_found' });
    },
  },
  {
    name: 'edit: past maxPerTask names what it evicts now, also when that is the original itself',
    run: async ({ open }) => {
      const opened = await filled(open, 3);
      const plan = await opened.store.plan(edit);
      expect(plan.view.evicts).toMatchObject({ count: 1, items: [{ ref: a, when: 'now' }] });
      expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['evicts', 'source_evicted', 'agent_active']);
      await opened.apply(plan);
      expect((await allCheckpoints(opened.store, 't')).map(({ id }) => id)).toEqual(['a-edit-1', 'c', 'b']);
    },
  },
  {
    name: 'edit: a head or an original that moved since the plan writes nothing',
    run: async ({ open }) => {
      for (const meanwhile of [checkpoint('t', 'd'), checkpoint('t', 'a', { text: '{"state": "other"}' })]) {
        const opened = await filled(open);
        const plan = await opened.store.plan(edit);
        await opened.store.save(meanwhile);
        const before = await contents(opened.store);
        await expect((async () => opened.apply(plan))()).rejects.toMatchObject({ name: 'InspectorError' });
        expect(await contents(opened.store)).toEqual(before);
      }
    },
  },
  {
    name: 'edit: two edits of one checkpoint are two children, and nothing is lost',
    run: async ({ open }) => {
      const opened = await filled(open);
      await opened.apply(await opened.store.plan(edit));
      await opened.apply(await opened.store.plan({ ...edit, text: '{"cache": null}' }));
      const metas = await allCheckpoints(opened.store, 't');
      expect(metas.map(({ id }) => id)).toEqual(['a-edit-2', 'a-edit-1', 'c', 'b', 'a']);
      expect(metas.slice(0, 2).map(({ parentId }) => parentId)).toEqual(['a', 'a']);
    },
  },
  {
    name: 'edit: undo brings everything back byte for byte',
    run: async ({ open }) => {
      const opened = await filled(open, 3);
      const before = [await contents(opened.store), await allCheckpoints(opened.store, 't')];
      if (!opened.undo) throw new Error('The suite needs undo().');
      await opened.apply(await opened.store.plan(edit));
      await opened.undo();
      expect([await contents(opened.store), await allCheckpoints(opened.store, 't')]).toEqual(before);
    },
  },
];
