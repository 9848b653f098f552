import { maskSecrets } from '@checkpoint-inspector/core';
import { useSyncExternalStore } from 'react';

/** Secrets of known shapes are masked wherever stored text is shown, until they are revealed for this visit. */
let revealed = false;
const listeners = new Set<() => void>();

/** Kept in memory only: a reload masks again. */
export function setRevealed(next: boolean): void {
  revealed = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useRevealed = (): boolean => useSyncExternalStore(subscribe, () => revealed);

const asStored = (text: string): string => text;

/** What stored text passes through on its way to the screen. Copying takes the text as it is stored. */
export const useShown = (): ((text: string) => string) => (useRevealed() ? asStored : maskSecrets);
