import { Act } from './acts.ts';
import { isBlank } from './leaf.ts';
import { Event } from './events.ts';
import { isUnderSlip } from './never.ts';
import { ANY, type Label, type Place } from './place.ts';
import type { Survey } from './places.ts';
import { isContainer, leafOf } from './tree.ts';

/** Fewer are no rule. */
const FEWEST = 3;

/** Something that nearly all other entries got in a step. */
export interface Missing {
  readonly event: Event;
  /** What was done to the others would have changed this one. */
  readonly isLeft: boolean;
  /** The others that did not get it, where they are too many to be exceptions unless somebody asked for them. */
  readonly beside?: readonly Event[];
}

/** What single entries did not get in one step, while nearly all others of their list did. */
export function missedIn(step: number, events: readonly Event[], after: Survey): Missing[] {
  if (events.length < FEWEST) return [];
  const isOften = writtenOften(events);
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    const { holder, slot } = event.place;
    if (holder === undefined || event.kind === 'removed' || !isOften(slot)) continue;
    const id = `${holder.key.id} ${slot.id}`;
    const group = groups.get(id);
    if (group) group.push(event);
    else groups.set(id, [event]);
  }
  const found = [...groups.values()].flatMap((group) => missedOf(step, group, after));
  return found.length > 0 ? found : missedAcross(step, [...groups.values()], after);
}

/** Most slots are written once in a step, and make no group. */
function writtenOften(events: readonly Event[]): (slot: Label) => boolean {
  const counts = new Map<Label, number>();
  for (const { slot, kind } of events) if (kind !== 'removed') counts.set(slot, (counts.get(slot) ?? 0) + 1);
  return (slot) => (counts.get(slot) ?? 0) >= FEWEST;
}

/** In lists that are each part of an entry, what nearly all entries of all of them got. */
function missedAcross(step: number, groups: readonly (readonly Event[])[], after: Survey): Missing[] {
  const bySlot = new Map<Label, Event[]>();
  for (const group of groups) {
    const { slot, place } = group[0] ?? {};
    // Of plain values nobody expects that all lists have them.
    if (slot === undefined || place === undefined || place.isEntry || slot.lists.length < 2) continue;
    const known = bySlot.get(slot);
    if (known === undefined) bySlot.set(slot, [...group]);
    else for (const event of group) known.push(event);
  }
  return [...bySlot].flatMap(([slot, group]) => {
    const written = new Set(group.map(({ key }) => key));
    const places = placesOf(slot, after);
    return missingIn(step, group, { places: places.filter(({ key }) => !written.has(key)), of: places.length }, after);
  });
}

/** Of every entry; none where there are very many. */
function placesOf(slot: Label, survey: Survey): readonly Place[] {
  if (slot.parent === undefined) return [survey.place([])];
  const places: Place[] = [];
  for (const { path } of placesOf(slot.parent, survey)) {
    const node = slot.step === ANY ? survey.node(path) : undefined;
    if (slot.step !== ANY) places.push(survey.place([...path, slot.step]));
    if (!isContainer(node)) continue;
    if (places.length + node.size > MOST) return [];
    for (let at = 0; at < node.size; at++) places.push(survey.place([...path, node.nameAt(at)]));
  }
  return places;
}

const MOST = 600;

function missedOf(step: number, group: readonly Event[], after: Survey): Missing[] {
  const [first] = group;
  if (first?.collection === undefined || group.length < FEWEST) return [];
  const { collection, path } = first;
  const written = new Set(group.map(({ place }) => place.up(collection + 1).step));
  const list = first.place.holder && after.at(first.place.holder);
  if (!isContainer(list)) return [];
  const names: (string | number)[] = [];
  for (let at = 0; at < list.size && names.length <= mostExcused(list.size); at++)
    if (!written.has(list.nameAt(at))) names.push(list.nameAt(at));
  if (names.length > mostExcused(list.size)) return [];
  const places = names.map((name) => after.place([...path.slice(0, collection), name, ...path.slice(collection + 1)]));
  return missingIn(step, group, { places, of: list.size }, after);
}

const mostMissing = (of: number): number => Math.max(1, of * 0.15);

/** Of which all but one were to be left out. */
const mostExcused = (of: number): number => (of < FEWEST + 2 ? 1 : Math.max(2, of * 0.3));

function missingIn(
  step: number,
  group: readonly Event[],
  { places, of }: { readonly places: readonly Place[]; readonly of: number },
  after: Survey,
): Missing[] {
  if (places.length === 0 || places.length > mostExcused(of)) return [];
  const given = new Set(group.map((event) => event.after?.text));
  const isFirst = group.every(({ before }) => isBlank(before));
  const act = new Act(group);
  const missing = places.flatMap((place): Missing[] => {
    const leaf = leafOf(after.at(place));
    const isLeft = isFirst ? group.length > FEWEST && isBlank(leaf) : act.isFor(leaf);
    // It may well have been given what it had, or have got its first value before.
    if (leaf !== undefined && given.has(leaf.text) && !isLeft) return [];
    if (isFirst && !isBlank(leaf)) return [];
    const list = place.holder && after.at(place.holder);
    if (isBlank(leaf) && isContainer(list) && isUnderSlip(place, list, after)) return [];
    return [{ event: new Event(place, { step, kind: 'changed', before: leaf, after: leaf }), isLeft }];
  });
  if (missing.length <= mostMissing(of)) return missing;
  return missing.map((one) => ({
    ...one,
    beside: missing.flatMap(({ event }) => (event === one.event ? [] : [event])),
  }));
}
