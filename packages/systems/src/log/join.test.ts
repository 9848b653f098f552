import { expect, it } from 'vitest';
import { joined } from './join.ts';

it.each([
  [[], '[]'],
  [['1'], '[1]'],
  [['1', '2', '3'], '[1,2,3]'],
])('joins %j', (items, text) => {
  expect(joined('[', items, ']')).toBe(text);
  expect(items).not.toContain(']');
});
