import { expect, it } from 'vitest';
import { Kept } from './kept.ts';

const found = (kept: Kept<string, number>, ...keys: string[]) => keys.map((key) => kept.get(key));

it('keeps what was used last, and never twice its number of characters', () => {
  const kept = new Kept<string, number>(10);
  for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) kept.set(key, at, 5);
  expect(found(kept, 'a')).toEqual([0]);
  // What was used goes with what is new.
  kept.set('e', 4, 5);
  expect(found(kept, 'a', 'e', 'b')).toEqual([0, 4, undefined]);
  for (let nth = 0; nth < 100; nth++) kept.set(`many${nth}`, nth, 5);
  const left = Array.from({ length: 100 }, (_, nth) => kept.get(`many${99 - nth}`)).filter((one) => one !== undefined);
  expect(left.slice(0, 2)).toEqual([99, 98]);
  expect(left.length).toBeLessThanOrEqual(4);
});

it('gives back what is too long without keeping it, and drops nothing for it', () => {
  const kept = new Kept<string, number>(10);
  kept.set('a', 1, 10);
  expect(kept.set('b', 2, 11)).toBe(2);
  expect(found(kept, 'a', 'b')).toEqual([1, undefined]);
});

it('uses of the same change nothing', () => {
  const kept = new Kept<string, number>(10);
  kept.set('a', 1, 5);
  kept.set('b', 2, 5);
  for (let nth = 0; nth < 9; nth++) expect(found(kept, 'a', 'b')).toEqual([1, 2]);
  kept.clear();
  expect(found(kept, 'a', 'b')).toEqual([undefined, undefined]);
  kept.set('c', 3, 10);
  expect(found(kept, 'c')).toEqual([3]);
});
