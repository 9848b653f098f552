import { expect } from 'vitest';
import type { CheckpointSource } from '../../contract.ts';
import type { Task } from '../../model.ts';
import { allTasks } from '../listing.ts';
import type { Case } from '../run.ts';

/** Newest first, ties by id. */
function inOrder(before: Task, after: Task): boolean {
  const [newer, older] = [before, after].map((task) =>
    task.updatedAt === undefined ? -Infinity : Date.parse(task.updatedAt),
  );
  return newer === older ? before.id <= after.id : (newer ?? 0) > (older ?? 0);
}

export const taskCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'tasks: there is one at least, none is listed twice, newest first, ties by id',
    run: async (source) => {
      const tasks = await allTasks(source);
      expect(tasks.length).toBeGreaterThan(0);
      expect(new Set(tasks.map((task) => task.id)).size).toBe(tasks.length);
      expect(tasks.filter((task, at) => at > 0 && !inOrder(tasks[at - 1] ?? task, task))).toEqual([]);
    },
  },
  {
    name: 'tasks: pages of one neither skip nor repeat',
    run: async (source) => {
      expect(await allTasks(source, 1)).toEqual(await allTasks(source));
    },
  },
  {
    name: 'tasks: text finds a task whatever its case, and nothing else',
    run: async (source) => {
      const [task] = await allTasks(source);
      const words = task?.title === '' ? task.id : (task?.title ?? '');
      const found = (await source.tasks({ text: words.toUpperCase(), limit: 1000 })).items.map((item) => item.id);
      expect(found).toContain(task?.id);
      expect((await source.tasks({ text: 'no task has this in its name \u0001' })).items).toEqual([]);
    },
  },
  {
    name: 'tasks: a cursor that no list has given is invalid_input',
    run: async (source) => {
      await expect(source.tasks({ cursor: 'not a cursor' })).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'tasks: are plain JSON of this store, with whole counts',
    run: async (source) => {
      for (const task of await allTasks(source)) {
        expect(JSON.parse(JSON.stringify(task))).toEqual(task);
        expect(task).toMatchObject({ store: source.info.id, system: source.info.system });
        expect(Number.isInteger(task.checkpointCount) && task.unreadable >= 0).toBe(true);
        expect(task.unreadable).toBeLessThanOrEqual(task.checkpointCount);
        if (task.updatedAt !== undefined) expect(Date.parse(task.updatedAt)).not.toBeNaN();
      }
    },
  },
  {
    name: 'tasks: where the number of all is told, it is the number of all',
    run: async (source) => {
      const [tasks, page] = [await allTasks(source), await source.tasks({ limit: 1 })];
      if (page.of !== undefined) expect(page.of).toBe(tasks.length);
    },
  },
];
