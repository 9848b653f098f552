/** Parts of a big JSON text: a value, and the children of a container page by page. */
import { InspectorError } from '../errors.ts';
import { blobAt, type BlobNote } from './blob.ts';
import { unquote, type JsonNode } from './node.ts';
import { formatPath, type Path } from './path.ts';
import { wholeSecrets, type Piece } from '../secrets/cut.ts';
import { ChildCursor, containerAt, type Container, type JsonIndex } from './skim.ts';
import { scalarKind, scanString } from './scan.ts';

/** A value without what is too long to show. */
export interface ValueNote {
  readonly kind: JsonNode['kind'];
  /** Of its JSON text, in UTF-16 code units. */
  readonly length: number;
  /** Children of a container, duplicate keys included. */
  readonly count?: number;
  /** Its JSON text exactly, or the beginning of it, which never ends inside a secret: so it can be masked. */
  readonly text: string;
  /** Set where `text` is only the beginning. */
  readonly cut?: true;
  readonly blob?: BlobNote;
}

export interface PartChild extends ValueNote {
  /** Key or index. */
  readonly step: string | number;
  /** Place among its siblings, from 0. */
  readonly place: number;
  /** The same key is again further on: a path means that one. */
  readonly shadowed?: true;
  /** As many as fit, where a deeper answer was asked for. */
  readonly children?: readonly PartChild[];
}

/** A step on the way to a part: the container, and the place of the child that leads on. */
export interface TrailStep {
  readonly kind: 'object' | 'array';
  readonly count: number;
  readonly place: number;
}

export interface Part extends ValueNote {
  readonly path: string;
  /** One step for each of the path, from the root. */
  readonly trail: readonly TrailStep[];
  /** Place of the first child given. */
  readonly offset?: number;
  readonly children?: readonly PartChild[];
}

export interface PartQuery {
  readonly path: Path;
  /** Default 0. */
  readonly offset?: number;
  /** Children of one container at most. */
  readonly limit: number;
  /** Levels of children: 0 gives the value alone. */
  readonly depth: number;
  /** Longest text of a value, in UTF-16 code units. */
  readonly preview: number;
}

/** An answer has no more children than this, whatever was asked. */
export const MOST_CHILDREN = 2000;
/** The keys of a larger object are not compared with each other. */
const MOST_KEYS = 200_000;
const repeated = new WeakMap<JsonIndex, Map<number, ReadonlySet<string>>>();

/**
 * The value at a path. Nothing but what is asked for is read.
 * @throws InspectorError not_found, `data.path` is the deepest part that is there
 * @example partOf(indexJson('{"a":[1,2]}'), { path: ['a'], limit: 1, depth: 1, preview: 100 }).children?.length // 1
 */
export function partOf(index: JsonIndex, query: PartQuery): Part {
  const { path, offset = 0, depth, preview } = query;
  const { start, end, trail } = locateValue(index, path);
  const container = containerAt(index, start);
  const note = noteOf(index, { start, end, container, preview });
  const base: Part = { path: formatPath(path), ...note, trail };
  if (container === undefined || depth === 0) return base;
  const left = { children: MOST_CHILDREN };
  return { ...base, offset, children: childrenOf(index, container, { ...query, offset, depth }, left) };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly trail: readonly TrailStep[];
}

/** Where the value at a path is. @throws InspectorError not_found */
export function locateValue(index: JsonIndex, path: Path): Place {
  const trail: TrailStep[] = [];
  let { start, end } = index;
  for (const step of path) {
    const container = containerAt(index, start);
    const child = container && childAt(index, container, step);
    if (container === undefined || child === undefined) throw notThere(path, trail.length);
    trail.push({ kind: container.kind, count: container.count, place: child.place });
    ({ start, end } = child);
  }
  return { start, end, trail };
}

interface Child {
  readonly place: number;
  readonly start: number;
  readonly end: number;
}

function childAt(index: JsonIndex, container: Container, step: string | number): Child | undefined {
  if (container.kind === 'array') {
    if (typeof step !== 'number' || step >= container.count) return undefined;
    const cursor = new ChildCursor(index, container, step);
    while (cursor.next()) if (cursor.place === step) return spanOf(cursor);
    return undefined;
  }
  if (typeof step !== 'string') return undefined;
  let found: Child | undefined;
  const cursor = new ChildCursor(index, container);
  while (cursor.next()) if (keyOf(index, cursor) === step) found = spanOf(cursor);
  return found;
}

const spanOf = ({ place, start, end }: ChildCursor): Child => ({ place, start, end });

/** The key of the member the cursor is at. */
export function keyOf({ text }: JsonIndex, { from }: Pick<ChildCursor, 'from'>): string {
  return unquote(text, from, scanString(text, from));
}

interface ChildrenQuery extends Omit<PartQuery, 'path'> {
  readonly offset: number;
}

function childrenOf(
  index: JsonIndex,
  container: Container,
  query: ChildrenQuery,
  left: { children: number },
): readonly PartChild[] {
  const { offset, limit, depth, preview } = query;
  const children: { child: PartChild; inside: Container | undefined }[] = [];
  const again = container.kind === 'object' ? repeatedKeys(index, container) : undefined;
  const cursor = new ChildCursor(index, container, offset);
  while (children.length < limit && left.children > 0 && cursor.next()) {
    if (cursor.place < offset) continue;
    const { place, start, end } = cursor;
    const step = container.kind === 'object' ? keyOf(index, cursor) : place;
    const inside = containerAt(index, start);
    const note = noteOf(index, { start, end, container: inside, preview });
    const isShadowed =
      typeof step === 'string' && again?.has(step) === true && isFollowed(index, container, step, place);
    children.push({ child: { step, place, ...note, ...(isShadowed ? { shadowed: true } : {}) }, inside });
    left.children--;
  }
  if (depth <= 1) return children.map(({ child }) => child);
  return children.map(({ child, inside }) => {
    if (inside === undefined || child.shadowed || inside.count === 0 || left.children === 0) return child;
    return { ...child, children: childrenOf(index, inside, { ...query, offset: 0, depth: depth - 1 }, left) };
  });
}

/** Keys that are more than once in an object; worked out once. */
function repeatedKeys(index: JsonIndex, container: Container): ReadonlySet<string> {
  const known = repeated.get(index) ?? new Map<number, ReadonlySet<string>>();
  repeated.set(index, known);
  const before = known.get(container.start);
  if (before) return before;
  const seen = new Set<string>();
  const again = new Set<string>();
  const cursor = new ChildCursor(index, container);
  if (container.count <= MOST_KEYS) {
    while (cursor.next()) {
      const key = keyOf(index, cursor);
      if (seen.has(key)) again.add(key);
      seen.add(key);
    }
  }
  if (index.kept.has(container.start)) known.set(container.start, again);
  return again;
}

function isFollowed(index: JsonIndex, container: Container, key: string, place: number): boolean {
  const last = childAt(index, container, key);
  return last !== undefined && last.place > place;
}

interface NoteQuery {
  readonly start: number;
  readonly end: number;
  readonly container: Container | undefined;
  readonly preview: number;
}

function noteOf({ text }: JsonIndex, { start, end, container, preview }: NoteQuery): ValueNote {
  const blob = container ? undefined : blobAt(text, start, end);
  return {
    kind: container?.kind ?? scalarKind(text.charCodeAt(start)),
    length: end - start,
    ...(container ? { count: container.count } : {}),
    ...(end - start <= preview ? { text: text.slice(start, end) } : beginningOf(text, { start, end }, preview)),
    ...(blob ? { blob } : {}),
  };
}

function beginningOf(text: string, within: Piece, preview: number): Pick<ValueNote, 'text' | 'cut'> {
  const near = { start: within.start, end: wholeCharacter(text, within.start + preview) };
  const { start, end } = wholeSecrets(text, near, within);
  return { text: text.slice(start, end), ...(end < within.end ? { cut: true } : {}) };
}

/** The offset, or the one before it where it would part a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/** @param deepest how many steps of the path lead to something */
export function notThere(path: Path, deepest: number): InspectorError {
  const there = formatPath(path.slice(0, deepest));
  return new InspectorError('not_found', `This state has no value at ${formatPath(path)}; ${there} is there.`, {
    data: { path: there },
    remedy: 'Start at $ and open its children.',
  });
}
