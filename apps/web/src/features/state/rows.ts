/** The JSON tree as the rows in view: only what is open is walked. */
import { formatPath, sourceOf, type JsonNode, type Path } from '@checkpoint-inspector/core';

/** More children than this are shown in ranges. */
export const RANGE = 500;

interface Common {
  readonly id: string;
  readonly depth: number;
}

export interface ValueRow extends Common {
  readonly kind: 'value';
  readonly path: Path;
  /** The key or index; the root has none. */
  readonly name: string | undefined;
  readonly node: JsonNode;
  /** Absent for scalars and empty containers. */
  readonly open?: boolean;
  readonly duplicate: boolean;
}

/** Some of the children of a large container. */
export interface RangeRow extends Common {
  readonly kind: 'range';
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

export type StateRow = ValueRow | RangeRow;

interface Child {
  readonly step: string | number;
  readonly node: JsonNode;
  readonly duplicate: boolean;
}

export const sizeOf = (node: JsonNode): number =>
  node.kind === 'object' ? node.members.length : node.kind === 'array' ? node.items.length : 0;

function childAt(node: JsonNode, index: number): Child | undefined {
  if (node.kind === 'object') {
    const member = node.members[index];
    return member && { step: member.key, node: member.value, duplicate: member.duplicate === true };
  }
  const item = node.kind === 'array' ? node.items[index] : undefined;
  return item && { step: index, node: item, duplicate: false };
}

export const pathId = (path: Path): string => formatPath(path);
const rangeId = (path: Path, from: number): string => `${pathId(path)} ${from}`;

/** What is open: what the reader said, else the root and small containers near it. */
export type Opened = ReadonlyMap<string, boolean>;

const isOpen = (opened: Opened, id: string, depth: number, size: number): boolean =>
  opened.get(id) ?? (depth === 0 || (depth === 1 && size <= 12));

/** @example stateRows(parseJson('{"a":1}'), new Map()).length // 2 */
export function stateRows(root: JsonNode, opened: Opened): StateRow[] {
  const rows: StateRow[] = [];
  type Work = { row: StateRow; children?: () => Work[] };
  const valueWork = (child: Child, path: Path, depth: number, name: string | undefined): Work => {
    const size = sizeOf(child.node);
    const id = pathId(path);
    const base = {
      kind: 'value' as const,
      id: child.duplicate ? `${id} duplicate ${child.node.start}` : id,
      depth,
      path,
      name,
      node: child.node,
      duplicate: child.duplicate,
    };
    if (size === 0) return { row: base };
    const open = isOpen(opened, id, depth, size);
    return {
      row: { ...base, open },
      ...(open ? { children: () => childrenOf(child.node, path, depth + 1, 0, size) } : {}),
    };
  };
  const childrenOf = (node: JsonNode, path: Path, depth: number, from: number, to: number): Work[] => {
    if (to - from > RANGE) return rangesOf(node, path, depth, to);
    const works: Work[] = [];
    for (let index = from; index < to; index++) {
      const child = childAt(node, index);
      if (child) works.push(valueWork(child, [...path, child.step], depth, String(child.step)));
    }
    return works;
  };
  const rangesOf = (node: JsonNode, path: Path, depth: number, size: number): Work[] => {
    const works: Work[] = [];
    for (let from = 0; from < size; from += RANGE) {
      const to = Math.min(from + RANGE, size);
      const id = rangeId(path, from);
      const open = opened.get(id) ?? from === 0;
      works.push({
        row: { kind: 'range', id, depth, from, to, open },
        ...(open ? { children: () => childrenOf(node, path, depth + 1, from, to) } : {}),
      });
    }
    return works;
  };
  const stack: Work[] = [valueWork({ step: '$', node: root, duplicate: false }, [], 0, undefined)];
  for (let work = stack.pop(); work; work = stack.pop()) {
    rows.push(work.row);
    const children = work.children?.() ?? [];
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child) stack.push(child);
    }
  }
  return rows;
}

/** Everything that must be open for a path to be seen. */
export function openTo(root: JsonNode, path: Path, opened: Opened): Opened {
  const next = new Map(opened);
  let node: JsonNode | undefined = root;
  for (let length = 0; node !== undefined && length < path.length; length++) {
    const here = path.slice(0, length);
    const step: string | number | undefined = path[length];
    next.set(pathId(here), true);
    const index: number =
      node.kind === 'object'
        ? node.members.findLastIndex((member) => member.key === step)
        : typeof step === 'number'
          ? step
          : -1;
    if (sizeOf(node) > RANGE && index >= 0) next.set(rangeId(here, Math.floor(index / RANGE) * RANGE), true);
    node = childAt(node, index)?.node;
  }
  return next;
}

export const MATCH_LIMIT = 2000;

/** Paths whose key or scalar text holds the words, in the order of the text. */
export function findInState(text: string, root: JsonNode, wanted: string): Path[] {
  const needle = wanted.toLowerCase();
  const found: Path[] = [];
  const stack: { node: JsonNode; path: Path }[] = [{ node: root, path: [] }];
  for (let at = stack.pop(); at && found.length < MATCH_LIMIT; at = stack.pop()) {
    const { node, path } = at;
    const key = path.at(-1);
    const inKey = typeof key === 'string' && key.toLowerCase().includes(needle);
    const size = sizeOf(node);
    if (inKey || (size === 0 && sourceOf(text, node).toLowerCase().includes(needle))) found.push(path);
    for (let index = size - 1; index >= 0; index--) {
      const child = childAt(node, index);
      if (child) stack.push({ node: child.node, path: [...path, child.step] });
    }
  }
  return found;
}
