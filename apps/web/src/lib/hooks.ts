import { useMatch, useRouter } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useShown } from './masking.ts';
import { usePresenting, widened } from './presenting.ts';

/** True while the media query holds. @example useMedia('(max-width: 799px)') */
export function useMedia(narrow: string): boolean {
  // A page that is drawn larger has less room.
  const query = usePresenting() ? widened(narrow) : narrow;
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** The time, told again every so often, for ages in lists. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The value, once it has rested for `ms`. */
export function useRested<T>(value: T, ms = 200, first = value): T {
  const [rested, setRested] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** Whether what is there is on the screen, too: what can come after it waits until then. */
export function useDrawn(isThere: boolean): boolean {
  const [isDrawn, setDrawn] = useState(isThere);
  useEffect(() => setDrawn(isThere), [isThere]);
  return isThere && isDrawn;
}

/** True once it has been waited for so long; for the same key it stays so, whatever comes afterwards. */
export function useLate(key: string, waiting: boolean, ms: number): boolean {
  const [late, setLate] = useState<string>();
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLate(key), ms);
    return () => clearTimeout(timer);
  }, [key, waiting, ms]);
  return late === key;
}

/** Sets the title of the browser tab while shown. */
export function useTitle(title: string): void {
  const shown = useShown();
  useEffect(() => {
    document.title = `${shown(title)} · Checkpoint Inspector`;
  }, [title, shown]);
}

/** The width of an element in px, followed as it changes; 0 before it is known. */
export function useWidth<E extends HTMLElement>() {
  // An element that goes and comes back is another one.
  const [box, setBox] = useState<E | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box === null) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box);
    return () => observer.disconnect();
  }, [box]);
  return [setBox, width] as const;
}

/** Runs once the page has nothing else to do; the answer undoes it. */
export function whenIdle(run: () => unknown): () => void {
  // Not every browser has it; a second after the start it is quiet as a rule.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, 1000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: 3000 });
  return () => cancelIdleCallback(handle);
}

/** Items by their key, in the order in which the keys first come up. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The set without the value, or with it where it was not there. */
export function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

/**
 * Tells whether the address is still that of this page. While the next one loads this one is drawn and hears keys: what
 * it changed of the address then would lead nowhere.
 */
export function useIsHere(): () => boolean {
  const router = useRouter();
  const id = useMatch({ strict: false, select: (match) => match.id });
  return () => router.matchRoutes(router.latestLocation).at(-1)?.id === id;
}
