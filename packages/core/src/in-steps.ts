/**
 * Work over many rows that can be interrupted: the server lets other requests in between, everybody else runs it to
 * its end.
 */
export type InSteps<T> = Generator<undefined, T>;

/** Items between two stops: less than a millisecond, or a few where their code has never run. */
const STEP = 500;

/** Calls for each item, with stops. */
export function* eachInSteps<T>(items: readonly T[], call: (item: T, at: number) => void): InSteps<void> {
  for (let from = 0; from < items.length; from += STEP) {
    items.slice(from, from + STEP).forEach((item, at) => call(item, from + at));
    if (from + STEP < items.length) yield;
  }
}

/** `items.map(call)`, with stops. */
export function* mapInSteps<T, U>(items: readonly T[], call: (item: T, at: number) => U): InSteps<U[]> {
  const made: U[] = [];
  yield* eachInSteps(items, (item, at) => void made.push(call(item, at)));
  return made;
}

/** `items.toSorted(compare)`, with stops; what is in order already costs one pass. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): InSteps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += STEP) {
    runs.push(items.slice(from, from + STEP).toSorted(compare));
    if (from + STEP < items.length) yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInSteps(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of equal items those of the first run stay before those of the second. */
function* mergeInSteps<T>(first: T[], second: T[], compare: (a: T, b: T) => number): InSteps<T[]> {
  const [end] = first.slice(-1);
  const [start] = second;
  if (start === undefined || end === undefined || compare(end, start) <= 0) return first.concat(second);
  const merged: T[] = [];
  let [a, b] = [0, 0];
  while (a < first.length && b < second.length) {
    const [one, other] = [first[a] as T, second[b] as T];
    if (compare(one, other) <= 0) {
      merged.push(one);
      a++;
    } else {
      merged.push(other);
      b++;
    }
    if (merged.length % STEP === 0) yield;
  }
  return merged.concat(first.slice(a), second.slice(b));
}

/** @example toEnd(forkTreeInSteps('run-1', rows)).roots // [0] */
export function toEnd<T>(work: InSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
