/** States that grow out of each other, with everything that is easily lost on the way. */
import type { Rng } from '../../testing/rng.ts';

const KEYS = ['', '__proto__', '1', '01', 'constructor', 'messages', 'a b', '\u2028', '\ud800', 'é', '😀', '\u001f12;'];
const TRAPS: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0.1,
  () => '',
  () => '\u001f1;',
  () => '\ud800x',
  () => 'é\u2028"\\😀',
  () => ({ left: undefined, out: 1 }),
];

const word = (rng: Rng, most: number): string =>
  Array.from({ length: rng.int(0, most) }, () => rng.int(0, 35).toString(36)).join('');

function scalar(rng: Rng): unknown {
  if (rng.chance(0.2)) return rng.pick(TRAPS)();
  if (rng.chance(0.5)) return rng.int(-5, 5000);
  if (rng.chance(0.002)) return 'long '.repeat(rng.int(3_000, 4_000)) + word(rng, 3);
  return rng.chance(0.2) ? word(rng, 9).repeat(rng.int(1, 30)) : word(rng, 30);
}

/** A value of any kind, a few levels deep. */
export function anyValue(rng: Rng, depth = 0): unknown {
  if (depth > 3 || rng.chance(0.35)) return scalar(rng);
  const length = rng.chance(0.15) ? rng.int(12, 120) : rng.int(0, 5);
  const flat = length > 5 && rng.chance(0.9);
  const own = (): unknown => (flat ? scalar(rng) : anyValue(rng, depth + 1));
  if (rng.chance(0.5)) return Array.from({ length }, own);
  const key = (at: number): string => (rng.chance(0.3) ? rng.pick(KEYS) : `${word(rng, 6)}${at}`);
  return members(Array.from({ length }, (_, at) => [key(at), own()]));
}

/** `__proto__` as a key like any other. */
const members = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

/** The value with some changes; what is not changed is the same object. */
export function changed(rng: Rng, value: unknown): unknown {
  const isArray = Array.isArray(value);
  const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!(isArray || isObject) || rng.chance(0.05)) return anyValue(rng, 2);
  return isArray ? changedItems(rng, value) : members(changedMembers(rng, Object.entries(value)));
}

function changedItems(rng: Rng, items: readonly unknown[]): unknown[] {
  const at = rng.int(0, items.length);
  switch (rng.int(0, 6)) {
    case 0:
    case 1:
      return [...items, anyValue(rng, 2)];
    case 2:
      return items.toSpliced(at, 0, anyValue(rng, 2));
    case 3:
      return items.toSpliced(at, rng.int(1, 3));
    case 4:
      return [...items.slice(at), ...items.slice(0, at)];
    default:
      return items.map((item, nth) => (nth === at || rng.chance(0.05) ? changed(rng, item) : item));
  }
}

function changedMembers(rng: Rng, entries: readonly [string, unknown][]): [string, unknown][] {
  const at = rng.int(0, entries.length);
  switch (rng.int(0, 5)) {
    case 0:
      return [...entries, [rng.pick(KEYS), anyValue(rng, 2)]];
    case 1:
      return entries.toSpliced(at, 1);
    case 2:
      return entries.toReversed();
    default:
      return entries.map(([key, own], nth) => [key, nth === at || rng.chance(0.05) ? changed(rng, own) : own]);
  }
}
