/** The key h asks for the history of the focused value, wherever the inspector is at that time. */
import { useEffect, useRef } from 'react';
import { showToast } from '../../components/index.ts';
import { useKeys } from '../../lib/keys.ts';
import { createSignal } from '../../lib/signal.ts';

const asked = createSignal(false);

export const askHistory = (): void => asked.set(true);
/** True until it is answered: a drawer may have to open first. */
export const useAskedHistory = asked.use;
export const answerHistory = (): void => asked.set(false);

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
