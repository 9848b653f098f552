/** The key h asks for the history of the focused value, wherever the inspector is at that time. */
import { useSyncExternalStore } from 'react';

let asked = 0;
let answered = 0;
const listeners = new Set<() => void>();

export function askHistory(): void {
  asked++;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** True until it is answered: a drawer may have to open first. */
export const useAskedHistory = (): boolean => useSyncExternalStore(subscribe, () => asked > answered);

export function answerHistory(): void {
  answered = asked;
  for (const listener of listeners) listener();
}
