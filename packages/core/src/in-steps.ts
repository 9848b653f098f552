/**
 * Work over many rows that can be interrupted: the server lets other requests in between, everybody else runs it to
 * its end.
 */
export type InSteps<T> = Generator<undefined, T>;

/** Items between two stops: a millisecond or two. */
const STEP = 2_000;

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

/** @example toEnd(forkTreeInSteps('run-1', rows)).roots // [0] */
export function toEnd<T>(work: InSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
