/** Words for screen readers that have no place on the screen: one polite region for the whole page. */
import { useSyncExternalStore } from 'react';

let said = { text: '', turn: 0 };
const listeners = new Set<() => void>();

/** Said once the reader is quiet; the same words twice are said twice. @example announce('This state has no chat.') */
export function announce(text: string): void {
  said = { text, turn: said.turn + 1 };
  for (const listener of listeners) listener();
}

export const useSaid = (): { readonly text: string; readonly turn: number } =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
