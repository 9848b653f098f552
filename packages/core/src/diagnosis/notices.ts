import type { Event } from './events.ts';
import { MOST_LABELS } from './reading-lists.ts';

/** Characters of a text that may tell something. */
const FEWEST = 25;

/** A text of several words, wherever it is: what one step wrote down, a later one may have read. */
export const isNotice = ({ after, step }: Event): boolean =>
  step > 0 && after?.kind === 'string' && after.end - after.start >= FEWEST && after.isProse;

/** What came with such a text, in the same entry: the sender of a letter, the address of a page. */
export function besideNotices(events: readonly Event[]): (event: Event) => boolean {
  let entries: ReadonlySet<number> | undefined;
  const entryAt = ({ step, place }: Event): number => step * MOST_LABELS + place.entry.id;
  return (event) => {
    if (event.kind !== 'added' || event.collection === undefined || event.after?.isProse !== false) return false;
    entries ??= new Set(events.filter(isNotice).map(entryAt));
    return entries.has(entryAt(event));
  };
}
