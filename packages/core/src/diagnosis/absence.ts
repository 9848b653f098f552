import type { Event } from './events.ts';
import type { Survey } from './places.ts';
import { leafOf } from './values.ts';

/** Entries that did not get what nearly all others of their list got in one step. */
export function missedIn(step: number, events: readonly Event[], after: Survey): Event[] {
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    if (event.collection === undefined || event.kind === 'removed') continue;
    const key = `${event.slot} ${JSON.stringify(event.path.slice(0, event.collection))}`;
    const group = groups.get(key) ?? [];
    group.push(event);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => missedOf(step, group, after));
}

function missedOf(step: number, group: readonly Event[], after: Survey): Event[] {
  const [first] = group;
  if (first?.collection === undefined || group.length < 3) return [];
  const { path, collection } = first;
  const written = new Set(group.map((event) => event.path[collection]));
  const entries = after.entries(after.node(path.slice(0, collection)));
  const missing = entries.filter(({ name }) => !written.has(name));
  if (missing.length === 0 || missing.length > Math.max(1, entries.length * 0.15)) return [];
  const rest = path.slice(collection + 1);
  return missing.map(({ name }): Event => {
    const at = [...path.slice(0, collection), name, ...rest];
    const node = after.node(at);
    const leaf = node && leafOf(after.document, node);
    return { ...after.place(at), step, kind: 'changed', ...(leaf ? { before: leaf, after: leaf } : {}) };
  });
}
