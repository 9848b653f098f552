/** The keys h and s ask about the focused value, wherever the inspector is at that time. */
import { useEffect, useRef } from 'react';
import { showToast } from '../../components/index.ts';
import { useKeys } from '../../lib/keys.ts';
import { createSignal } from '../../lib/signal.ts';

/** Its history, or when it was first not what it should be. */
interface Asked {
  readonly what: 'history' | 'should-be';
  /** Whoever asks may have to go there first; absent: the value in view. */
  readonly path?: string | undefined;
}

const asked = createSignal<Asked | undefined>(undefined);

export const askHistory = (path?: string): void => asked.set({ what: 'history', path });
export const askShouldBe = (path?: string): void => asked.set({ what: 'should-be', path });

/** True until it is answered: a drawer may have to open first. */
export function useAsked(what: Asked['what'], path: string): boolean {
  const now = asked.use();
  return now?.what === what && (now.path ?? path) === path;
}

export const answerAsked = (): void => asked.set(undefined);

/** `reveal` brings the inspector on the screen where it is not. */
export function useValueKeys(path: string | undefined, reveal: () => void): void {
  const now = asked.use();
  const latest = useRef(reveal);
  latest.current = reveal;
  useKeys({ h: () => askHistory(), s: () => askShouldBe() });
  useEffect(() => {
    if (now === undefined) return;
    if ((path ?? now.path) !== undefined) return latest.current();
    answerAsked();
    showToast({ title: 'Choose a value first: h shows its history, s checks what it should be.' });
  }, [now, path]);
}
