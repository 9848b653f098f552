/** Two tasks of the list whose runs are compared. */
import { formatRunAddress, storeId, type Task } from '@checkpoint-inspector/core';
import { useState } from 'react';
import { announce } from '../../lib/signal.ts';
import { showId } from '../../lib/format.ts';
import { taskKey } from './order.ts';

const MOST = 2;
const NONE = 'Nothing is selected.';

/** A third one takes the place of the first. @example toggled([a, b], c) // [b, c] */
export function toggled(picked: readonly Task[], task: Task): readonly Task[] {
  const others = picked.filter((one) => taskKey(one) !== taskKey(task));
  return others.length < picked.length ? others : [...others, task].slice(-MOST);
}

/** Where two runs are compared; absent until there are two. */
export function comparison(picked: readonly Task[]) {
  const [a, b] = picked.map(({ store, id }) => formatRunAddress({ store: storeId(store), task: id }));
  return a === undefined || b === undefined ? undefined : ({ to: '/compare/runs', search: { a, b } } as const);
}

/** They stay while the list is filtered. */
export function usePicked() {
  const [tasks, setTasks] = useState<readonly Task[]>([]);
  return {
    tasks,
    has: (task: Task): boolean => tasks.some((one) => taskKey(one) === taskKey(task)),
    toggle: (task: Task): void => {
      const next = toggled(tasks, task);
      setTasks(next);
      announce(`${showId(task.title)} ${next.includes(task) ? 'selected' : 'no longer selected'}. ${wordsOf(next)}`);
    },
    clear: (): void => {
      if (tasks.length > 0) announce(NONE);
      setTasks([]);
    },
  };
}

export type Picked = ReturnType<typeof usePicked>;

/** @example wordsOf([task]) // '1 selected. Select another one to compare their runs.' */
export function wordsOf({ length }: readonly Task[]): string {
  if (length === 0) return NONE;
  return length < MOST ? '1 selected. Select another one to compare their runs.' : '2 selected.';
}
