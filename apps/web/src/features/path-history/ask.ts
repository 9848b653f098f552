/** The key h asks for the history of the focused value, wherever the inspector is at that time. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { showToast } from '../../components/index.ts';
import { useKeys } from '../../lib/keys.ts';

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

/** The key h. `reveal` brings the inspector on the screen where it is not. */
export function useHistoryKey(path: string | undefined, reveal: () => void): void {
  const asked = useAskedHistory();
  const latest = useRef(reveal);
  latest.current = reveal;
  useKeys({ h: askHistory });
  useEffect(() => {
    if (!asked) return;
    if (path !== undefined) return latest.current();
    answerHistory();
    showToast({ title: 'Choose a value first: h shows its history.' });
  }, [asked, path]);
}
