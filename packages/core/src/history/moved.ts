import { diffJson } from '../diff/diff.ts';
import { Follower } from '../diff/follow.ts';
import type { Difference } from '../diff/types.ts';
import { equalJson } from '../json/equal.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { locate } from './locate.ts';

/** Values that are in many places: an equal one elsewhere says nothing. */
const COMMON = /^(?:true|false|null|-?\d|"[^"]?"|\{\s*\}|\[\s*\])$/;

/**
 * Where the value at `path` of one state is in another, when it is at that path no more: its array element moved
 * or was shifted, or what holds it was taken away while exactly one equal value came. Swapped states tell where a
 * value came from.
 * @example placeAfter('{"a":{"x":42}}', '{"b":{"x":42}}', ['a', 'x']) // ['b', 'x']
 */
export function placeAfter(before: string, after: string, path: Path): Path | undefined {
  const value = locate(before, path);
  if (value === undefined) return undefined;
  const { items } = diffJson(before, after);
  const place = new Follower(items).place(path);
  if ('at' in place) return isElsewhere(place.at, path) && isEqualAt(after, place.at, value) ? place.at : undefined;
  return placeOfRemoved(items, place.removed, path.slice(place.depth), value);
}

const isElsewhere = (a: Path, b: Path): boolean => formatPath(a) !== formatPath(b);

function isEqualAt(text: string, path: Path, value: string): boolean {
  const found = locate(text, path);
  return found !== undefined && equalJson(found, value);
}

/** Under the one place where an equal value came. `rest`: from the removed value down to the one that is followed. */
export function placeOfRemoved(
  items: readonly Difference[],
  removed: Difference,
  rest: Path,
  value: string | undefined,
): Path | undefined {
  const whole = removed.before ?? '';
  const added = items.filter(({ kind }) => kind === 'added');
  const twins = items.filter(({ kind, before }) => kind === 'removed' && isEqual(before, whole));
  const home = onlyPath(added.filter(({ after }) => isEqual(after, whole)));
  if (twins.length === 1 && home !== undefined && (!COMMON.test(whole) || sameName(home, parsePath(removed.path)))) {
    return [...home, ...rest];
  }
  if (rest.length === 0 || value === undefined || COMMON.test(value)) return undefined;
  const around = onlyPath(added.filter(({ after }) => after !== undefined && isEqualAt(after, rest, value)));
  return around ? [...around, ...rest] : onlyPath(added.filter(({ after }) => isEqual(after, value)));
}

const isEqual = (a: string | undefined, b: string): boolean => a !== undefined && equalJson(a, b);

const sameName = (a: Path, b: Path): boolean => typeof a.at(-1) === 'string' && a.at(-1) === b.at(-1);

function onlyPath([first, ...others]: readonly Difference[]): Path | undefined {
  return first !== undefined && others.length === 0 ? parsePath(first.path) : undefined;
}
