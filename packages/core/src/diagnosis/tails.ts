import type { Event } from './events.ts';

/** A list loses so many entries at least where it is cut. */
const FEWEST = 2;

/** How many values went from the end of a list of an entry at once, by the first of them. */
export function tailsIn(events: readonly Event[]): ReadonlyMap<Event, number> {
  const cuts = new Map<string, Event[]>();
  for (const event of events) {
    const { kind, place, step, before } = event;
    // Lists beside each other tell what is usual: one of its own may be ranked again.
    if (kind !== 'removed' || !place.isEntry || place.holder?.collection === undefined) continue;
    if (typeof place.step !== 'number' || before?.kind === 'fields' || before?.kind === 'list') continue;
    const list = `${step} ${place.holder.key.id}`;
    const known = cuts.get(list);
    if (known) known.push(event);
    else cuts.set(list, [event]);
  }
  const emptied = new Set(events.flatMap(({ kind, key, step }) => (kind === 'removed' ? [`${step} ${key.id}`] : [])));
  return new Map(
    [...cuts].flatMap(([list, cut]) => (isTail(cut, emptied.has(list)) ? [[firstOf(cut), cut.length] as const] : [])),
  );
}

const placeOf = ({ place }: Event): number => Number(place.step);

const firstOf = (cut: readonly Event[]): Event => cut.reduce((a, b) => (placeOf(b) < placeOf(a) ? b : a));

/** In a row, and from the first on only where nothing is left. */
function isTail(cut: readonly Event[], isEmptied: boolean): boolean {
  const places = cut.map(placeOf);
  const first = Math.min(...places);
  return cut.length >= FEWEST && (first > 0 || isEmptied) && Math.max(...places) - first === cut.length - 1;
}
