/** Some engines answer at once (SQLite, memory), others later (a database over the network). */
export type May<T> = T | Promise<T>;

/**
 * Work on rows, written once for both: it hands out what it waits for and goes on when that is there.
 * @example function* count(tables: Tables): Work<number> { return (yield* got(tables.select('t', {}))).length; }
 */
export type Work<T> = Generator<Promise<void>, T, void>;

/** The answer, waited for where it comes later. */
export function* got<T>(answer: May<T>): Work<T> {
  if (!(answer instanceof Promise)) return answer;
  let result: { readonly value: T } | undefined;
  yield answer.then((value) => {
    result = { value };
  });
  if (!result) throw new Error('The work resumed before its answer was there.');
  return result.value;
}

/** Does the work of an engine that answers at once. */
export function doNow<T>(work: Work<T>): T {
  const { done, value } = work.next();
  if (done === true) return value;
  throw new Error('This engine answers later, and was asked to answer at once.');
}

/** Does the work of an engine that answers later. */
export async function doWaiting<T>(work: Work<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    try {
      await step.value;
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next();
  }
  return step.value;
}
