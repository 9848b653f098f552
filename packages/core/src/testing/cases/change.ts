import { expect } from 'vitest';
import type { Plan } from '../../change/index.ts';
import { refKey } from '../../ids.ts';
import type { CheckpointMeta, CheckpointRef } from '../../model.ts';
import { refOf } from '../builders.ts';
import { allCheckpoints, contents, everyCheckpoint, isReadable } from '../listing.ts';
import type { Case } from '../run.ts';
import type { SystemContext } from '../system-context.ts';
import { editedText } from '../edited-text.ts';
import { CHANGES, requestOf, type Change } from './info.ts';

/** The checkpoint of the facts; else the oldest readable one that is not the latest of its task. */
export async function changed(context: SystemContext): Promise<CheckpointRef> {
  if (context.facts.change) return context.facts.change;
  const metas = (await everyCheckpoint(context.source)).filter(isReadable);
  const old = metas.filter((meta) => !meta.isLatest).sort((a: CheckpointMeta, b: CheckpointMeta) => a.seq - b.seq);
  const meta = old[0] ?? metas[0];
  if (!meta) throw new Error('The fixture holds no readable checkpoint.');
  return refOf(meta);
}

/** The plan, or `undefined` where the store, or this checkpoint of it, refuses the change, and so does `plan`. */
export async function planned(context: SystemContext, kind: Change, more: object = {}): Promise<Plan | undefined> {
  const { source } = context;
  const ref = await changed(context);
  const text = kind === 'edit' ? editedText((await source.state(ref))?.text ?? '').text : '';
  const request = { ...requestOf(kind, ref, text), ...more };
  const refused = (await source.capability?.('refs' in request ? (request.refs[0] ?? ref) : ref))?.[kind];
  if (source.info.capabilities[kind] === true && refused === undefined) {
    if (!source.plan) throw new Error(`The source says that it can ${kind}, but has no plan().`);
    return source.plan(request);
  }
  if (source.plan) await expect(source.plan(request)).rejects.toMatchObject({ code: 'unsupported' });
  return undefined;
}

export async function applied(context: SystemContext, plan: Plan): Promise<void> {
  if (!context.apply) throw new Error('The source can be changed: the suite needs apply(plan).');
  await context.apply(plan);
}

/** Refs that the plan says will be gone. */
function goneBy(plan: Plan): Set<string> {
  const evicted = plan.view.evicts.items.filter((item) => item.when === 'now');
  return new Set([...plan.view.removes.items, ...plan.view.moves.items, ...evicted].map((item) => refKey(item.ref)));
}

/** Everything that stood there before and is not named by the plan is there unchanged. */
export async function expectOthersUnchanged(
  context: SystemContext,
  before: Map<string, string>,
  plan: Plan,
): Promise<void> {
  const [after, gone] = [await contents(context.source), goneBy(plan)];
  for (const [key, content] of before) {
    if (gone.has(key)) expect(after.has(key), key).toBe(false);
    else expect(after.get(key), key).toBe(content);
  }
  const added = [...after.keys()].filter((key) => !before.has(key));
  const written = new Set([
    ...plan.view.writes.items.map((item) => refKey(item.ref)),
    ...plan.view.moves.items.map((item) => refKey(item.to)),
  ]);
  expect(added.filter((key) => !written.has(key))).toEqual([]);
}

async function expectCopied(context: SystemContext, plan: Plan): Promise<void> {
  const { source } = context;
  const before = await contents(source);
  const ref = await changed(context);
  const text = (await source.state(ref))?.text;
  await applied(context, plan);
  await expectOthersUnchanged(context, before, plan);
  const task = plan.view.targetTask ?? plan.view.task;
  const { ref: latest } = await source.latest(task);
  if (plan.view.request.kind === 'restore')
    expect(latest && refKey(latest)).toBe(plan.view.latestAfter && refKey(plan.view.latestAfter));
  const copy = plan.view.request.kind === 'restore' ? latest : plan.view.writes.items[0]?.ref;
  const state = copy && (await source.state(copy));
  if (plan.view.proofHash === undefined) expect(state?.text).toBe(text);
  else expect(state?.revision).toBe(plan.view.proofHash);
}

export const changeCases: readonly Case<SystemContext>[] = [
  {
    name: 'plan: writes nothing and is for the store and task that were asked',
    run: async (context) => {
      const before = [await context.bytes?.(), await contents(context.source)];
      for (const kind of CHANGES) {
        const plan = await planned(context, kind);
        if (!plan) continue;
        expect(plan.view).toMatchObject({ store: context.source.info.id, task: (await changed(context)).task });
        // A job is data, which can be copied.
        const { engine, place } = plan.job;
        expect(structuredClone(plan.job)).toMatchObject({ engine, place });
        expect(plan.view.preconditions.length).toBeGreaterThan(0);
        const { writes, moves, removes, evicts } = plan.view;
        // A marker that hides what comes after it writes no checkpoint.
        expect(writes.count + moves.count + removes.count + evicts.count).toBeGreaterThan(0);
      }
      expect([await context.bytes?.(), await contents(context.source)]).toEqual(before);
    },
  },
  {
    name: 'restore: the latest is then the restored state, and nothing else has changed',
    run: async (context) => {
      const plan = await planned(context, 'restore');
      if (plan) await expectCopied(context, plan);
    },
  },
  {
    name: 'fork: the copy has the state of its source, and nothing else has changed',
    run: async (context) => {
      const plan = await planned(context, 'fork');
      if (plan) await expectCopied(context, plan);
    },
  },
  {
    name: 'delete: takes what the plan names, and nothing else has changed',
    run: async (context) => {
      const plan = await planned(context, 'delete');
      if (!plan) return;
      const [ref, before] = [await changed(context), await contents(context.source)];
      expect(goneBy(plan)).toContain(refKey(ref));
      await applied(context, plan);
      await expectOthersUnchanged(context, before, plan);
      expect(await context.source.state(ref)).toBeUndefined();
      const { ref: latest } = await context.source.latest(plan.view.task);
      expect(latest && refKey(latest)).toBe(plan.view.latestAfter && refKey(plan.view.latestAfter));
    },
  },
  {
    name: 'delete: of the latest makes the next one the latest, as the plan says',
    run: async (context) => {
      const task = (await changed(context)).task;
      const { ref } = await context.source.latest(task);
      if (!ref) throw new Error(`Task "${task}" has no latest.`);
      const plan = await planned(context, 'delete', { refs: [ref] });
      if (!plan) return;
      await applied(context, plan);
      const { ref: latest } = await context.source.latest(task);
      expect(latest && refKey(latest)).toBe(plan.view.latestAfter && refKey(plan.view.latestAfter));
      const first = (await allCheckpoints(context.source, task)).find(isReadable);
      expect(latest && refKey(latest)).toBe(first && refKey(refOf(first)));
    },
  },
];
