import { expect } from 'vitest';
import { sha256Hex } from '../../hash.ts';
import { refKey } from '../../ids.ts';
import { collect } from '../builders.ts';
import { allCheckpoints, allTasks, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import type { SystemContext } from '../system-context.ts';

export const factCases: readonly Case<SystemContext>[] = [
  {
    name: 'facts: a store that is somewhere says its own identity, the same each time and without a user or password',
    run: async ({ source }) => {
      const { location, identity } = source.info;
      if (location === undefined) return;
      expect(identity).toBeTruthy();
      expect(identity).not.toMatch(/:\/\/[^/]*@/);
      expect(source.info.identity).toBe(identity);
    },
  },
  {
    name: 'facts: the tasks and their counts are those of the store',
    run: async ({ source, facts }) => {
      const found = new Map((await allTasks(source)).map((task) => [task.id, task.checkpointCount]));
      expect(found).toEqual(new Map(facts.tasks.map((task) => [task.id, task.checkpoints])));
      for (const task of facts.tasks) {
        if (task.unreadable === undefined) continue;
        const problems = (await allCheckpoints(source, task.id)).filter((meta) => meta.problem);
        expect(problems, task.id).toHaveLength(task.unreadable);
      }
    },
  },
  {
    name: 'facts: the latest is what the system itself answers',
    run: async ({ source, facts }) => {
      for (const task of facts.tasks) {
        if (task.latest !== undefined)
          expect((await source.latest(task.id)).ref?.id ?? null, task.id).toBe(task.latest);
      }
    },
  },
  {
    name: 'facts: the recorded parents are those of the store',
    run: async ({ source, facts }) => {
      for (const task of facts.tasks) {
        if (task.recorded === undefined) continue;
        const recorded = (await collect(source.lineage(task.id))).filter((row) => row.kind === 'recorded');
        expect(recorded, task.id).toHaveLength(task.recorded);
      }
    },
  },
  {
    name: 'facts: states are, byte for byte, what was stored',
    run: async ({ source, facts }) => {
      for (const { ref, text, sha256 } of facts.states ?? []) {
        const state = await source.state(ref);
        if (text !== undefined) expect(state?.text, refKey(ref)).toBe(text);
        if (sha256 !== undefined) expect(await sha256Hex(state?.text ?? ''), refKey(ref)).toBe(sha256);
      }
    },
  },
  {
    name: 'viewing: reading all of it leaves the disk as it was',
    run: async ({ source, bytes }) => {
      const before = await bytes?.();
      const read = await contents(source);
      for (const task of await allTasks(source)) await collect(source.lineage(task.id));
      expect(await bytes?.()).toEqual(before);
      expect(await contents(source)).toEqual(read);
    },
  },
];
