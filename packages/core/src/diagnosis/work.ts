/** Work that can be interrupted: at each `yield` its owner decides whether others have their turn. */
export type Work<T> = Generator<undefined, T>;

/** So many changes are gone over without a break. */
const RUN = 64;

/** Does all of it at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** One after the other. */
export function* each<T>(items: Iterable<T>, go: (item: T) => void): Work<void> {
  let count = 0;
  for (const item of items) {
    if (count++ % RUN === 0) yield;
    go(item);
  }
}
