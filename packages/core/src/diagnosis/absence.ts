import { isBlank } from './leaf.ts';
import { Event } from './events.ts';
import type { Label, Place } from './place.ts';
import type { Survey } from './places.ts';
import { isContainer, leafOf } from './tree.ts';

/** Fewer are no rule. */
const FEWEST = 3;

/** Entries that did not get what nearly all others of their list got in one step. */
export function missedIn(step: number, events: readonly Event[], after: Survey): Event[] {
  if (events.length < FEWEST) return [];
  const isOften = writtenOften(events);
  const groups: Event[][] = [];
  const byList = new Map<Place, Map<Label, Event[]>>();
  for (const event of events) {
    const { holder, slot } = event.place;
    if (holder === undefined || event.kind === 'removed' || !isOften(slot)) continue;
    const bySlot = byList.get(holder) ?? new Map<Label, Event[]>();
    byList.set(holder, bySlot);
    const group = bySlot.get(slot);
    if (group) group.push(event);
    else {
      const made = [event];
      bySlot.set(slot, made);
      groups.push(made);
    }
  }
  return groups.flatMap((group) => missedOf(step, group, after));
}

/** Most slots are written once in a step, and make no group. */
function writtenOften(events: readonly Event[]): (slot: Label) => boolean {
  const counts = new Map<Label, number>();
  for (const { slot, kind } of events) if (kind !== 'removed') counts.set(slot, (counts.get(slot) ?? 0) + 1);
  return (slot) => (counts.get(slot) ?? 0) >= FEWEST;
}

function missedOf(step: number, group: readonly Event[], after: Survey): Event[] {
  const [first] = group;
  if (first?.collection === undefined || group.length < FEWEST) return [];
  const { collection } = first;
  const written = new Set(group.map(({ place }) => place.up(collection + 1).step));
  const list = first.place.holder && after.at(first.place.holder);
  if (!isContainer(list)) return [];
  const most = Math.max(1, list.size * 0.15);
  const missing: (string | number)[] = [];
  for (let at = 0; at < list.size && missing.length <= most; at++) {
    if (!written.has(list.nameAt(at))) missing.push(list.nameAt(at));
  }
  if (missing.length === 0 || missing.length > most) return [];
  const { path } = first;
  const rest = path.slice(collection + 1);
  const given = new Set(group.map((event) => event.after?.text));
  const isFirst = group.every(({ before }) => isBlank(before));
  return missing.flatMap((name): Event[] => {
    const at = [...path.slice(0, collection), name, ...rest];
    const leaf = leafOf(after.node(at));
    // It may well have been given what it had, or have got its first value before.
    if (leaf !== undefined && given.has(leaf.text)) return [];
    if (isFirst && !isBlank(leaf)) return [];
    return [new Event(after.place(at), { step, kind: 'changed', before: leaf, after: leaf })];
  });
}
