/** What was searched for since the page was opened. It may be a secret, so it is kept nowhere else. */
import { createSignal } from '../../lib/signal.ts';

const MOST = 8;
const recent = createSignal<readonly string[]>([]);

export const useRecent = recent.use;

/** Notes what had results; what was typed on the way to it is not kept beside it. */
export function noteSearch(words: string): void {
  recent.set(withSearch(recent.get(), words));
}

/** @example withSearch(['42', 'timeout'], '4200') // ['4200', 'timeout'] */
export function withSearch(before: readonly string[], words: string): readonly string[] {
  const wanted = words.trim();
  if (wanted === '') return before;
  const [last, ...older] = before;
  const typedOn = last !== undefined && (wanted.startsWith(last) || last.startsWith(wanted));
  const others = typedOn ? older : before;
  return [wanted, ...others.filter((other) => other !== wanted)].slice(0, MOST);
}
