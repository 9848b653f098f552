import { Event } from './events.ts';
import type { Place } from './place.ts';
import type { Survey } from './places.ts';

/** Entries that did not get what nearly all others of their list got in one step. */
export function missedIn(step: number, events: readonly Event[], after: Survey): Event[] {
  const groups: Event[][] = [];
  const byList = new Map<Place, Map<string, Event[]>>();
  for (const event of events) {
    const { holder, slot } = event.place;
    if (holder === undefined || event.kind === 'removed') continue;
    const bySlot = byList.get(holder) ?? new Map<string, Event[]>();
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

function missedOf(step: number, group: readonly Event[], after: Survey): Event[] {
  const [first] = group;
  if (first?.collection === undefined || group.length < 3) return [];
  const { path, collection } = first;
  const written = new Set(group.map((event) => event.path[collection]));
  const entries = after.entries(first.place.holder && after.at(first.place.holder));
  const missing = entries.filter(({ name }) => !written.has(name));
  if (missing.length === 0 || missing.length > Math.max(1, entries.length * 0.15)) return [];
  const rest = path.slice(collection + 1);
  const given = new Set(group.map((event) => event.after?.text));
  return missing.flatMap(({ name }): Event[] => {
    const at = [...path.slice(0, collection), name, ...rest];
    const node = after.node(at);
    const leaf = node && after.leaf(node);
    // It may well have been given what it had.
    if (leaf !== undefined && given.has(leaf.text)) return [];
    return [new Event(after.place(at), { step, kind: 'changed', before: leaf, after: leaf })];
  });
}
