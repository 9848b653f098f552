import type { TaskPlace } from './address.ts';
import { useSyncExternalStore } from 'react';

/** A value for the whole page that components follow. @example const scene = createSignal(1); scene.set(2); scene.get() // 2 */
export function createSignal<T>(first: T) {
  let value = first;
  const listeners = new Set<() => void>();
  const get = (): T => value;
  const follow = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const set = (next: T): void => {
    value = next;
    for (const listener of listeners) listener();
  };
  return { get, set, follow, use: () => useSyncExternalStore(follow, get) };
}

// Words for screen readers that have no place on the screen: one polite region for the whole page.

const said = createSignal({ text: '', turn: 0 });

/** Said once the reader is quiet; the same words twice are said twice. @example announce('This state has no chat.') */
export const announce = (text: string): void => said.set({ text, turn: said.get().turn + 1 });

export const useSaid = said.use;

// Opens the export dialog from wherever a task is shown.

const asked = createSignal<TaskPlace | undefined>(undefined);

export const askExport = asked.set;
export const useAskedExport = asked.use;

// What this browser keeps. Storage may be switched off: a value then holds until the page is closed.

export function readStored(key: string, storage = (): Storage => localStorage): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** `undefined` forgets it. */
export function keepStored(key: string, value: string | undefined, storage = (): Storage => localStorage): void {
  try {
    if (value === undefined) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // Not kept.
  }
}
