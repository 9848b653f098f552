/**
 * What a pure chain of deltas would store: each step's difference to its parent, as compact JSON. No store can keep a
 * step in fewer bytes without compressing it, so this is the floor that the stores are compared with.
 *
 * `[0, value]` replaces, `[1, {key: delta}, [gone]]` changes an object, `[2, at, removed, [new]]` replaces a run of items,
 * `[3, {at: delta}]` changes items where they are.
 */
export type Delta =
  | readonly [0, unknown]
  | readonly [1, Readonly<Record<string, Delta>>, readonly string[]]
  | readonly [2, number, number, readonly unknown[]]
  | readonly [3, Readonly<Record<number, Delta>>];

type Members = Readonly<Record<string, unknown>>;

/** Bytes of a state beside its parent; of the first one, all of it. */
export function deltaBytes(before: object | undefined, after: object): number {
  if (before === undefined) return bytesOf(after);
  const delta = deltaOf(before, after);
  return delta === undefined ? 0 : bytesOf(delta);
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** `undefined` where nothing differs. Values are of JSON and never changed in place. */
export function deltaOf(before: unknown, after: unknown): Delta | undefined {
  if (Object.is(before, after)) return undefined;
  const delta = innerDelta(before, after);
  if (delta === undefined || delta[0] === 0) return delta;
  // Replacing the whole may be shorter where little is the same.
  const whole = [0, after] as const;
  return bytesOf(whole) < bytesOf(delta) ? whole : delta;
}

function innerDelta(before: unknown, after: unknown): Delta | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return itemsDelta(before, after);
  if (isMembers(before) && isMembers(after)) return membersDelta(before, after);
  return [0, after];
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function membersDelta(before: Members, after: Members): Delta | undefined {
  const changed: Record<string, Delta> = {};
  for (const [key, value] of Object.entries(after)) {
    const delta = Object.hasOwn(before, key) ? deltaOf(before[key], value) : ([0, value] as const);
    if (delta !== undefined) changed[key] = delta;
  }
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.keys(changed).length === 0 && gone.length === 0 ? undefined : [1, changed, gone];
}

function itemsDelta(before: readonly unknown[], after: readonly unknown[]): Delta | undefined {
  if (before.length === after.length) {
    const changed = after.flatMap((item, at) => {
      const delta = deltaOf(before[at], item);
      return delta === undefined ? [] : [[at, delta] as const];
    });
    return changed.length === 0 ? undefined : [3, Object.fromEntries(changed)];
  }
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  return [2, head, before.length - head - tail, after.slice(head, after.length - tail)];
}

const isSame = (a: unknown, b: unknown): boolean => deltaOf(a, b) === undefined;
