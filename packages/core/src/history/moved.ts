import { diffJson } from '../diff/diff.ts';
import type { Difference } from '../diff/types.ts';
import { equalJson } from '../json/equal.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { locate } from './locate.ts';

/** Values that stand in many places: an equal one elsewhere says nothing. */
const COMMON = /^(?:true|false|null|-?\d|"[^"]?"|\{\s*\}|\[\s*\])$/;

/**
 * Where the value at `path` of one state stands in another, when it is at that path no more: its array element moved
 * or was shifted, or what holds it was taken away while exactly one equal value came. Swapped states tell where a
 * value came from.
 * @example placeAfter('{"a":{"x":42}}', '{"b":{"x":42}}', ['a', 'x']) // ['b', 'x']
 */
export function placeAfter(before: string, after: string, path: Path): Path | undefined {
  const value = locate(before, path);
  if (value === undefined) return undefined;
  const { items } = diffJson(before, after);
  const place = follow(items, path);
  if ('at' in place) return isElsewhere(place.at, path) && isEqualAt(after, place.at, value) ? place.at : undefined;
  return placeOfRemoved(items, place.removed, path.slice(place.depth), value);
}

const isElsewhere = (a: Path, b: Path): boolean => formatPath(a) !== formatPath(b);

function isEqualAt(text: string, path: Path, value: string): boolean {
  const found = locate(text, path);
  return found !== undefined && equalJson(found, value);
}

/** Walks down the old path and up the new one: array elements may stand at another index. */
function follow(items: readonly Difference[], path: Path): { at: Path } | { removed: Difference; depth: number } {
  const gone = new Map(items.filter(({ kind }) => kind === 'removed').map((item) => [item.path, item]));
  const at: (string | number)[] = [];
  for (const [depth, step] of path.entries()) {
    const was = path.slice(0, depth);
    const removed = gone.get(formatPath([...was, step]));
    if (removed) return { removed, depth: depth + 1 };
    at.push(typeof step === 'number' ? indexAfter(items, formatPath(was), formatPath(at), step) : step);
  }
  return { at };
}

/** The new index of an array element that is not removed: moved ones say it, the others keep their order. */
function indexAfter(items: readonly Difference[], was: string, now: string, index: number): number {
  const left = new Set<number>();
  const taken = new Set<number>();
  for (const { kind, path, from = '' } of items) {
    const [old, next] = [indexIn(was, kind === 'moved' ? from : path), indexIn(now, path)];
    if (kind === 'moved' && old === index && next !== undefined) return next;
    if (old !== undefined && (kind === 'removed' || kind === 'moved')) left.add(old);
    if (next !== undefined && (kind === 'added' || kind === 'moved')) taken.add(next);
  }
  let rank = index;
  for (const gone of left) if (gone < index) rank--;
  for (let at = 0; ; at++) {
    if (taken.has(at)) continue;
    if (rank === 0) return at;
    rank--;
  }
}

/** The index of a path that names an element of this array. */
function indexIn(array: string, path: string): number | undefined {
  if (!path.startsWith(`${array}[`)) return undefined;
  const index = /^\[(\d+)\]$/.exec(path.slice(array.length))?.[1];
  return index === undefined ? undefined : Number(index);
}

/** Under the one place where an equal value came. `rest`: from the removed value down to the one that is followed. */
function placeOfRemoved(
  items: readonly Difference[],
  removed: Difference,
  rest: Path,
  value: string,
): Path | undefined {
  const whole = removed.before ?? '';
  const added = items.filter(({ kind }) => kind === 'added');
  const twins = items.filter(({ kind, before }) => kind === 'removed' && isEqual(before, whole));
  const home = onlyPath(added.filter(({ after }) => isEqual(after, whole)));
  if (twins.length === 1 && home !== undefined && (!COMMON.test(whole) || sameName(home, parsePath(removed.path)))) {
    return [...home, ...rest];
  }
  if (rest.length === 0 || COMMON.test(value)) return undefined;
  const around = onlyPath(added.filter(({ after }) => after !== undefined && isEqualAt(after, rest, value)));
  return around ? [...around, ...rest] : onlyPath(added.filter(({ after }) => isEqual(after, value)));
}

const isEqual = (a: string | undefined, b: string): boolean => a !== undefined && equalJson(a, b);

const sameName = (a: Path, b: Path): boolean => typeof a.at(-1) === 'string' && a.at(-1) === b.at(-1);

function onlyPath([first, ...others]: readonly Difference[]): Path | undefined {
  return first !== undefined && others.length === 0 ? parsePath(first.path) : undefined;
}
