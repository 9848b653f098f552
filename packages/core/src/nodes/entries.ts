/** The entries of a container, of which only those are read that somebody asks for. */
import { InspectorError } from '../errors.ts';
import { type Inline, type NodeReader, type NodeWork, type Slot, slotAt } from './reading.ts';
import { damaged, listed } from './text.ts';
import { KIND } from './types.ts';

type Group = readonly [id: number, count: number];

/** Nodes that follow each other, all of the same height: 0 are entries, higher ones are lists of the height below. */
interface Level {
  readonly groups: readonly Group[];
  readonly height: number;
}

/** A container: cut into nodes, or all in one body. */
export interface Entries {
  readonly kind: 'array' | 'object';
  readonly count: number;
  readonly top: Level | Inline;
}

/** Lists in lists; only a damaged store has more. */
const MAX_HEIGHT = 40;

/** @returns undefined for a value that isn't a container */
export function* entriesOf(reader: NodeReader, slot: Slot): NodeWork<Entries | undefined> {
  const kind = yield* reader.kindOf(slot);
  if (kind !== 'array' && kind !== 'object') return undefined;
  if ('id' in slot) {
    const node = yield* reader.node(slot.id);
    if (node.kind === KIND.array || node.kind === KIND.object) {
      const groups = listed(node.body);
      return { kind, count: countOf(groups), top: { groups, height: yield* heightOf(reader, groups) } };
    }
  }
  const top = yield* reader.inline(slot);
  return { kind, count: childrenIn(top).length, top };
}

const countOf = (groups: readonly Group[]): number => groups.reduce((sum, [, count]) => sum + count, 0);

function* heightOf(reader: NodeReader, groups: readonly Group[]): NodeWork<number> {
  let [first] = groups;
  for (let height = 0; height < MAX_HEIGHT; height++) {
    if (first === undefined) return height;
    const { kind, body } = yield* reader.node(first[0]);
    if (kind === KIND.entries) return height;
    [first] = listed(body);
  }
  throw new InspectorError('unreadable', 'The lists of this state never end.');
}

/** One entry: its value, and its key in an object. */
export interface Entry {
  readonly key: string | undefined;
  /** The key as written, with its colon; empty in an array. */
  readonly prefix: string;
  /** The same key comes earlier in the same body. */
  readonly duplicate: boolean;
  readonly slot: Slot;
}

function childrenIn({ body, node }: Inline): Entry[] {
  if (node.kind === 'array')
    return node.items.map((item) => ({ key: undefined, prefix: '', duplicate: false, slot: slotAt(body, item) }));
  if (node.kind !== 'object') return [];
  return node.members.map(({ key, keyStart, keyEnd, value, duplicate = false }) => ({
    key,
    prefix: `${body.text.slice(keyStart, keyEnd)}:`,
    duplicate,
    slot: slotAt(body, value),
  }));
}

/** The entries from one place up to another, which is not one of them. */
export function* entriesIn(reader: NodeReader, { kind, top }: Entries, from: number, to: number): NodeWork<Entry[]> {
  if ('body' in top) return childrenIn(top).slice(from, to);
  let { groups, height } = top;
  let start = 0;
  for (; ; height--) {
    ({ groups, start } = within(groups, start, from, to));
    yield* reader.load(groups.map(([id]) => id));
    if (height === 0) break;
    groups = yield* childGroups(reader, groups);
  }
  const found: Entry[] = [];
  for (const group of groups) found.push(...(yield* entriesOfGroup(reader, group, kind)));
  return found.slice(Math.max(0, from - start), Math.max(0, to - start));
}

/** Those groups that have any of the entries. */
function within(groups: readonly Group[], first: number, from: number, to: number): { groups: Group[]; start: number } {
  const found: Group[] = [];
  let start = first;
  let at = first;
  for (const group of groups) {
    const end = at + group[1];
    if (end <= from) start = end;
    else if (at < to) found.push(group);
    at = end;
  }
  return { groups: found, start };
}

function* childGroups(reader: NodeReader, groups: readonly Group[]): NodeWork<Group[]> {
  yield* reader.load(groups.map(([id]) => id));
  const children: Group[] = [];
  for (const [id, count] of groups) {
    const { kind, body } = yield* reader.node(id);
    const own = listed(body);
    if (kind !== KIND.list || countOf(own) !== count) throw damaged(id);
    children.push(...own);
  }
  return children;
}

function* entriesOfGroup(reader: NodeReader, [id, count]: Group, kind: Entries['kind']): NodeWork<Entry[]> {
  const entries = childrenIn(yield* reader.entries(id, kind));
  if (entries.length !== count) throw damaged(id);
  return entries;
}

/** How many entries at either end are in the same nodes. */
export function* sharedEnds(
  reader: NodeReader,
  before: Entries,
  after: Entries,
): NodeWork<{ readonly head: number; readonly tail: number }> {
  let head = 0;
  let tail = 0;
  if ('body' in before.top || 'body' in after.top) return { head, tail };
  let [olds, news]: [Level, Level] = [before.top, after.top];
  for (;;) {
    const most = Math.min(olds.groups.length, news.groups.length);
    let first = 0;
    for (; first < most && olds.groups[first]?.[0] === news.groups[first]?.[0]; first++)
      head += olds.groups[first]?.[1] ?? 0;
    let last = 0;
    for (; last < most - first && olds.groups.at(-1 - last)?.[0] === news.groups.at(-1 - last)?.[0]; last++)
      tail += olds.groups.at(-1 - last)?.[1] ?? 0;
    const height = Math.max(olds.height, news.height);
    if (height === 0 || first + last === most) return { head, tail };
    olds = yield* lower(reader, olds, height, first, last);
    news = yield* lower(reader, news, height, first, last);
  }
}

/** Without what is shared at its ends; one level deeper where it has this height. */
function* lower(
  reader: NodeReader,
  { groups, height }: Level,
  from: number,
  first: number,
  last: number,
): NodeWork<Level> {
  const rest = groups.slice(first, groups.length - last);
  return height < from ? { groups: rest, height } : { groups: yield* childGroups(reader, rest), height: height - 1 };
}

/** The members of two objects without those that are in the same nodes. */
export function* differingMembers(
  reader: NodeReader,
  before: Entries,
  after: Entries,
): NodeWork<readonly [readonly Entry[], readonly Entry[]]> {
  if ('body' in before.top || 'body' in after.top) return [yield* allOf(reader, before), yield* allOf(reader, after)];
  let [olds, news]: [Level, Level] = [before.top, after.top];
  for (;;) {
    const ids = new Set(olds.groups.map(([id]) => id));
    const shared = new Set(news.groups.flatMap(([id]) => (ids.has(id) ? [id] : [])));
    [olds, news] = [withoutGroups(olds, shared), withoutGroups(news, shared)];
    const height = Math.max(olds.height, news.height);
    if (height === 0) break;
    olds = yield* lower(reader, olds, height, 0, 0);
    news = yield* lower(reader, news, height, 0, 0);
  }
  const members = (level: Level) => allOf(reader, { kind: 'object', count: countOf(level.groups), top: level });
  return [yield* members(olds), yield* members(news)];
}

const allOf = (reader: NodeReader, entries: Entries): NodeWork<Entry[]> => entriesIn(reader, entries, 0, entries.count);

const withoutGroups = ({ groups, height }: Level, shared: ReadonlySet<number>): Level => ({
  groups: groups.filter(([id]) => !shared.has(id)),
  height,
});
