import { useSyncExternalStore } from 'react';

/** A value for the whole page that components follow. */
export interface Signal<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Told of each change; the answer ends that. */
  readonly follow: (listener: () => void) => () => void;
  readonly use: () => T;
}

/** @example const scene = createSignal(1); scene.set(2); scene.get() // 2 */
export function createSignal<T>(first: T): Signal<T> {
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
