import { expect, it } from 'vitest';
import { doNow, doWaiting, got, type May, type Work } from './work.ts';

function* sum(values: readonly May<number>[]): Work<number> {
  let total = 0;
  for (const value of values) total += yield* got(value);
  return total;
}

function* recovered(value: May<number>): Work<string> {
  try {
    return String(yield* got(value));
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

it('is the same work for answers that are there and answers that come later', async () => {
  expect(doNow(sum([1, 2, 3]))).toBe(6);
  expect(await doWaiting(sum([1, Promise.resolve(2), 3]))).toBe(6);
  expect(await doWaiting(sum([]))).toBe(0);
});

it('throws a failed answer where the work waits for it', async () => {
  expect(await doWaiting(recovered(Promise.reject(new Error('the server is gone'))))).toBe('the server is gone');
  await expect(doWaiting(sum([1, Promise.reject(new Error('lost'))]))).rejects.toThrow('lost');
});

it('never waits where answers are to be there at once', () => {
  expect(() => doNow(sum([1, Promise.resolve(2)]))).toThrow('asked to answer at once');
});
