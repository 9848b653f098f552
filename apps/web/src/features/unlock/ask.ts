/** Which store is being unlocked: one dialog for the whole page, asked for from rows, pages and the palette. */
import { useSyncExternalStore } from 'react';

export const UNLOCK_WORDS = 'Unlock for this session…';

let asked: string | undefined;
const listeners = new Set<() => void>();

/** Opens the dialog for a store; `undefined` closes it. */
export function askUnlock(store: string | undefined): void {
  asked = store;
  for (const listener of listeners) listener();
}

export const useAskedStore = (): string | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
