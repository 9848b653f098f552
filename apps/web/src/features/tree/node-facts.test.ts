import { expect, it } from 'vitest';
import { factsOf } from './node-facts.ts';
import { rows, type Sketch } from './testing/rows.ts';
import { treeBase, treeView } from './view-tree.ts';

const factsIn = (...sketches: readonly Sketch[]) => {
  const view = treeView(treeBase('t', rows(...sketches)), new Set(), new Set());
  const [first] = view.items;
  if (first === undefined) throw new Error('an item is expected');
  return factsOf(view, first, () => undefined);
};

it('names a checkpoint without a description by its id', () => {
  const facts = factsIn(['ckpt-1', undefined, { status: 'unknown' }]);
  expect(facts.title).toBe('ckpt-1');
  expect(facts.label).toBe('#01 ckpt-1, Unknown');
});

it('claims no change where only the time is known', () => {
  const facts = factsIn(['a', undefined, { time: '2026-01-01T10:20:30Z' }]);
  expect(facts.second).toBe('10:20:30 UTC');
  expect(facts.change).toBeUndefined();
});

it('says of a checkpoint that can not be read that it is so, and not how it went', () => {
  const facts = factsIn(['a', undefined, { status: 'completed', problem: 'unreadable' }]);
  expect(facts).toMatchObject({ second: 'unreadable', warning: 'unreadable' });
  expect(facts.status).toBeUndefined();
  expect(facts.label).toBe('#01 a, unreadable');
});
