import { expect, it } from 'vitest';
import { chancesOf } from './chance.ts';

const sum = (chances: readonly number[]): number => chances.reduce((all, one) => all + one, 0);

it('leaves a chance that it is none of them, the smaller the stronger the case', () => {
  expect(chancesOf([])).toEqual([]);
  const [weak = 1, middling = 0, strong = 0] = [0.3, 1, 3].map((score) => sum(chancesOf([score])));
  expect(weak).toBeLessThan(0.2);
  expect(middling).toBeGreaterThan(weak);
  expect(strong).toBeGreaterThan(0.95);
  expect(strong).toBeLessThan(1);
});

it('gives two with as strong a case the same chance, and each of them half of what it had alone', () => {
  const [alone = 0] = chancesOf([3]);
  const [one = 0, other = 0] = chancesOf([3, 3]);
  expect(one).toBe(other);
  expect(one).toBeCloseTo(alone / 2, 1);
  expect(sum(chancesOf([3, 3, 3, 3, 3]))).toBeLessThanOrEqual(1);
});

it('is sure of the one that stands out, whatever weak guesses are beside it', () => {
  expect(chancesOf([2.5, 0.4, 0.4, 0.3, 0.2])[0]).toBeGreaterThan(0.9);
  expect(chancesOf([2.5, 2.4, 0.4])[0]).toBeLessThan(0.6);
});
