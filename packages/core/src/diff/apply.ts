import { InspectorError } from '../errors.ts';
import { sourceOf, quoteJson, type JsonArray, type JsonNode, type JsonObject } from '../json/node.ts';
import { parsePath } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import type { Difference } from './types.ts';

type Step = string | number;

/** What the rows say about one place, in a tree by path. */
interface Mark {
  readonly children: Map<Step, Mark>;
  /** In the old state: gone, or an element that went elsewhere. */
  leaves?: 'removed' | 'moved';
  /** In the new state: the whole new value. */
  text?: string;
  isAdded?: true;
  /** In the new state: index of the moved element in the old array. */
  from?: number;
}

/** One value to write: an old one, changed by what both trees say below it. */
interface Rebuild {
  readonly node: JsonNode;
  readonly old: Mark | undefined;
  readonly now: Mark | undefined;
}

/**
 * Makes the new state from the old one and all rows of a diff: equal to the new state in the sense of `equalJson`.
 * Unchanged values are copied as they are written.
 * @throws InspectorError unreadable | invalid_input (rows that do not belong to this state)
 * @example applyDifferences('[1,2]', [{ path: '$[0]', kind: 'removed', before: '1' }]) // '[2]'
 */
export function applyDifferences(before: string, items: readonly Difference[]): string {
  const old: Mark = { children: new Map() };
  const now: Mark = { children: new Map() };
  for (const item of items) mark(item, old, now);
  if (old.leaves) throw mismatch('$', 'the whole state cannot be removed');
  const out: string[] = [];
  const tasks: (Rebuild | string)[] = [{ node: parseJson(before), old, now }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (typeof task === 'string') {
      out.push(task);
      continue;
    }
    const parts = rebuild(before, task);
    while (parts.length > 0) {
      const part = parts.pop();
      if (part !== undefined) tasks.push(part);
    }
  }
  return out.join('');
}

function mark(item: Difference, old: Mark, now: Mark): void {
  if (item.kind === 'removed') {
    markAt(old, item.path).leaves = 'removed';
    return;
  }
  const place = markAt(now, item.path);
  if (item.kind === 'moved') {
    const from = item.from ?? item.path;
    markAt(old, from).leaves = 'moved';
    place.from = Number(parsePath(from).at(-1));
    return;
  }
  if (item.after === undefined) throw mismatch(item.path, 'the row has no new value');
  place.text = item.after;
  if (item.kind === 'added') place.isAdded = true;
}

function markAt(root: Mark, path: string): Mark {
  let place = root;
  for (const step of parsePath(path)) {
    const next: Mark = place.children.get(step) ?? { children: new Map() };
    place.children.set(step, next);
    place = next;
  }
  return place;
}

/** The pieces of one value, in order. */
function rebuild(text: string, { node, old, now }: Rebuild): (Rebuild | string)[] {
  if (now?.text !== undefined) return [now.text];
  if (!old?.children.size && !now?.children.size) return [sourceOf(text, node)];
  if (node.kind === 'object') return rebuildObject(text, node, old, now);
  if (node.kind === 'array') return rebuildArray(node, old, now);
  throw mismatch(sourceOf(text, node), 'a row points inside this scalar');
}

function rebuildObject(
  text: string,
  object: JsonObject,
  old: Mark | undefined,
  now: Mark | undefined,
): (Rebuild | string)[] {
  const parts: (Rebuild | string)[] = [];
  const add = (keyText: string, value: Rebuild | string): void => {
    parts.push(parts.length === 0 ? '{' : ',', keyText, ':', value);
  };
  // Among duplicates a path names the last one.
  const shown = new Map(object.members.map((member) => [member.key, member]));
  const added = [...(now?.children ?? [])].filter(([, place]) => place.isAdded);
  checkMarks(old, (key) => typeof key === 'string' && shown.has(key));
  checkMarks(now, (key, place) => typeof key === 'string' && shown.has(key) !== (place.isAdded === true));
  for (const member of object.members) {
    const isShown = shown.get(member.key) === member;
    const was = isShown ? old?.children.get(member.key) : undefined;
    if (was?.leaves) continue;
    const place = isShown ? now?.children.get(member.key) : undefined;
    add(text.slice(member.keyStart, member.keyEnd), { node: member.value, old: was, now: place });
  }
  for (const [key, place] of added) add(quoteJson(String(key)), place.text ?? 'null');
  if (parts.length === 0) parts.push('{');
  parts.push('}');
  return parts;
}

/** New places are filled by added and moved elements first; the elements that stayed follow each other in the rest. */
function rebuildArray(array: JsonArray, old: Mark | undefined, now: Mark | undefined): (Rebuild | string)[] {
  const stayed = Array.from(array.items.keys()).filter((index) => !old?.children.get(index)?.leaves);
  const placed = [...(now?.children.values() ?? [])].filter((place) => place.isAdded || place.from !== undefined);
  const length = stayed.length + placed.length;
  checkMarks(old, (key) => typeof key === 'number' && key < array.items.length);
  checkMarks(now, (key) => typeof key === 'number' && key < length);
  const parts: (Rebuild | string)[] = ['['];
  const rest = stayed.values();
  for (let index = 0; index < length; index++) {
    if (index > 0) parts.push(',');
    const place = now?.children.get(index);
    if (place?.isAdded) {
      parts.push(place.text ?? 'null');
      continue;
    }
    const from = place?.from ?? rest.next().value ?? -1;
    const node = array.items[from];
    if (node === undefined) throw mismatch(`[${index}]`, 'no old element is left for this position');
    parts.push({ node, old: old?.children.get(from), now: place });
  }
  parts.push(']');
  return parts;
}

/** Every mark must name a place that there is. */
function checkMarks(marks: Mark | undefined, fits: (key: Step, place: Mark) => boolean): void {
  for (const [key, place] of marks?.children ?? []) {
    if (!fits(key, place)) throw mismatch(String(key), 'this position does not exist, or is already taken');
  }
}

function mismatch(where: string, why: string): InspectorError {
  const short = where.length > 80 ? `${where.slice(0, 80)}…` : where;
  return new InspectorError('invalid_input', `These differences are not for this state: ${why} (${short}).`);
}
