import { expect } from 'vitest';
import type { CheckpointSource } from '../../contract.ts';
import { InspectorError } from '../../errors.ts';
import { refKey } from '../../ids.ts';
import { allPages, refOf } from '../builders.ts';
import { allCheckpoints, allTasks, everyCheckpoint, isReadable } from '../listing.ts';
import type { Case } from '../run.ts';

const STRANGE = ['', '..', '__proto__', 'constructor', 'no such / task : % é'];
const AROUND_SAMPLE = 25;

/** Ids that no task of the source has. */
export async function unknownTasks(source: CheckpointSource): Promise<string[]> {
  const known = new Set((await allTasks(source)).map((task) => task.id));
  return STRANGE.filter((id) => !known.has(id));
}

async function eachTask(source: CheckpointSource, check: (task: string) => Promise<void>): Promise<void> {
  for (const task of await allTasks(source)) await check(task.id);
}

async function checkAround(source: CheckpointSource, task: string): Promise<void> {
  const all = (await allCheckpoints(source, task)).map((meta) => refKey(refOf(meta)));
  const step = Math.ceil(all.length / AROUND_SAMPLE);
  const metas = (await allCheckpoints(source, task)).filter((_, at) => at % step === 0);
  for (const limit of [1, 3]) {
    for (const meta of metas) {
      const around = refOf(meta);
      const keys = await allPages((cursor) =>
        cursor === undefined
          ? source.checkpoints(task, { around, limit })
          : source.checkpoints(task, { cursor, limit: 1000 }),
      );
      const seen = keys.map((item) => refKey(refOf(item)));
      expect(seen.indexOf(refKey(around))).toBeGreaterThanOrEqual(0);
      expect(seen.indexOf(refKey(around))).toBeLessThan(limit);
      expect(seen).toEqual(all.slice(all.length - seen.length));
    }
  }
}

export const checkpointCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'checkpoints: every row is listed once, as many as the task counts, unreadable ones too',
    run: async (source) => {
      for (const task of await allTasks(source)) {
        const metas = await allCheckpoints(source, task.id);
        expect(new Set(metas.map((meta) => refKey(refOf(meta)))).size).toBe(metas.length);
        // What was counted in part may only be too few; whoever lists it knows the whole.
        if (task.atLeast) expect(metas.length).toBeGreaterThanOrEqual(task.checkpointCount);
        else expect(metas).toHaveLength(task.checkpointCount);
        if (task.atLeast) continue;
        expect(metas.filter((meta) => !isReadable(meta))).toHaveLength(task.unreadable);
      }
    },
  },
  {
    name: 'checkpoints: pages of one and of three give the same list as one page',
    run: (source) =>
      eachTask(source, async (task) => {
        const all = await allCheckpoints(source, task);
        expect(await allCheckpoints(source, task, 1)).toEqual(all);
        expect(await allCheckpoints(source, task, 3)).toEqual(all);
      }),
  },
  {
    name: 'checkpoints: around gives a page that holds the checkpoint, and its cursor goes on from there',
    run: (source) => eachTask(source, (task) => checkAround(source, task)),
  },
  {
    name: 'checkpoints: an unknown task is an empty page',
    run: async (source) => {
      for (const task of await unknownTasks(source)) expect(await source.checkpoints(task)).toEqual({ items: [] });
    },
  },
  {
    name: 'checkpoints: a cursor that no list has given is invalid_input',
    run: async (source) => {
      const [task] = await allTasks(source);
      const page = source.checkpoints(task?.id ?? '', { cursor: 'not a cursor' });
      await expect(page).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'checkpoints: a limit outside 1 to 1000 is refused or kept within',
    run: async (source) => {
      const [task] = await allTasks(source);
      for (const limit of [0, -1, 1001, 1.5, Number.NaN]) {
        const page = await source
          .checkpoints(task?.id ?? '', { limit })
          .catch((error: unknown) => InspectorError.from(error));
        if (page instanceof InspectorError) expect(page.code).toBe('invalid_input');
        else expect(page.items.length > 0 && page.items.length <= 1000).toBe(true);
      }
    },
  },
  {
    name: 'checkpoints: are plain JSON of this store and task',
    run: (source) =>
      eachTask(source, async (task) => {
        for (const meta of await allCheckpoints(source, task)) {
          expect(JSON.parse(JSON.stringify(meta))).toEqual(meta);
          expect(meta).toMatchObject({ store: source.info.id, taskId: task });
          expect(meta.sizeBytes).toBeGreaterThanOrEqual(0);
        }
      }),
  },
  {
    name: 'checkpoints: seq is the place in save order, 1 for the oldest',
    run: (source) =>
      eachTask(source, async (task) => {
        const places = (await allCheckpoints(source, task)).map((meta) => meta.seq).sort((a, b) => a - b);
        expect(places).toEqual(places.map((_, at) => at + 1));
      }),
  },
  {
    name: 'checkpoints: createdAt is UTC, and only there when the basis says so',
    run: async (source) => {
      for (const { createdAt, timeBasis } of await everyCheckpoint(source)) {
        if (createdAt === undefined) continue;
        expect(['utc', 'file']).toContain(timeBasis);
        expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      }
    },
  },
];
