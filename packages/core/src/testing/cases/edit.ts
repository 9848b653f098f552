import { expect } from 'vitest';
import { refKey } from '../../ids.ts';
import { parseJson, sourceOf, valueAt } from '../../json/index.ts';
import { editedText } from '../edited-text.ts';
import { allCheckpoints, allTasks, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import type { SystemContext } from '../system-context.ts';
import { applied, changed, expectOthersUnchanged, planned } from './change.ts';

/** Everything that a user can see of a source. */
async function seen({ source }: SystemContext) {
  const tasks = await allTasks(source);
  const lists = await Promise.all(tasks.map(({ id }) => allCheckpoints(source, id)));
  return [await contents(source), tasks, lists];
}

export const editCases: readonly Case<SystemContext>[] = [
  {
    name: 'edit: saves one child that reads back as the text; the original and all others stay as they are',
    run: async (context) => {
      const { source } = context;
      const ref = await changed(context);
      const plan = await planned(context, 'edit');
      if (!plan) return;
      const edited = editedText((await source.state(ref))?.text ?? '');
      const before = await contents(source);
      expect(plan.view.writes.count).toBe(1);
      const child = plan.view.writes.items[0]?.ref;
      if (!child) throw new Error('An edit writes one checkpoint.');
      await applied(context, plan);
      await expectOthersUnchanged(context, before, plan);
      const state = await source.state(child);
      expect(state?.revision).toBe(plan.view.proofHash);
      const text = state?.text ?? '';
      const value = edited.path && valueAt(text, parseJson(text), edited.path);
      expect(value && sourceOf(text, value)).toBe(edited.value);
      // A store of conversations copies into a new task.
      const { ref: latest } = await source.latest(plan.view.targetTask ?? plan.view.task);
      expect(latest && refKey(latest)).toBe(plan.view.latestAfter && refKey(plan.view.latestAfter));
    },
  },
  {
    name: 'edit: the parent is recorded, or left to the sidecar',
    run: async (context) => {
      const ref = await changed(context);
      const plan = await planned(context, 'edit');
      const child = plan?.view.writes.items[0]?.ref;
      if (!plan || !child) return;
      await applied(context, plan);
      const metas = await allCheckpoints(context.source, child.task);
      const meta = metas.find((item) => item.id === child.id && item.namespace === child.namespace);
      const kept = plan.view.sidecar?.find((edge) => refKey(edge.child) === refKey(child));
      const parent = kept ? kept.parent.id : meta?.lineage === 'recorded' ? meta.parentId : undefined;
      expect(parent).toBe(ref.id);
    },
  },
  {
    name: 'edit: a text that is no JSON is refused with its place',
    run: async (context) => {
      if (context.source.info.capabilities.edit !== true) return;
      const request = { kind: 'edit', ref: await changed(context), text: '{"a": 1,\n "b": }' } as const;
      await expect(context.source.plan?.(request)).rejects.toMatchObject({
        code: 'invalid_input',
        data: { offset: 15, line: 2, column: 7 },
      });
    },
  },
  {
    name: 'edit: a text that says the same is saved, with a warning',
    run: async (context) => {
      const text = (await context.source.state(await changed(context)))?.text;
      const plan = await planned(context, 'edit', { text });
      if (plan) expect(plan.view.warnings.map(({ code }) => code)).toContain('unchanged');
    },
  },
  {
    name: 'edit: undo brings everything back byte for byte',
    run: async (context) => {
      const plan = await planned(context, 'edit');
      if (!plan) return;
      const before = await seen(context);
      if (!context.undo) throw new Error('The source can be edited: the suite needs undo().');
      await applied(context, plan);
      expect(await seen(context)).not.toEqual(before);
      await context.undo();
      expect(await seen(context)).toEqual(before);
    },
  },
];
