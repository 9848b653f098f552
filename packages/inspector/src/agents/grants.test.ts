import { expect, it } from 'vitest';
import { storeId } from '@checkpoint-inspector/core';
import { covers, parseGrant } from './grants.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it('reads stores, tasks, acts and a relative or absolute end', () => {
  expect(parseGrant('stores=demo+other,tasks=run-*,may=propose+read,until=2h', NOW)).toEqual({
    stores: ['demo', 'other'],
    tasks: ['run-*'],
    may: ['read', 'propose'],
    until: '2026-01-01T02:00:00.000Z',
  });
  expect(parseGrant('until=2026-12-01')).toEqual({ may: ['save'], until: '2026-12-01T00:00:00.000Z' });
});

it.each([
  ['store=demo', '"stores"'],
  ['may=sav', '"save"'],
  ['may=', '"may"'],
  ['until=soon', 'until=30m'],
  ['tasks=a,tasks=b', '"tasks"'],
  ['tasks=%zz', '%'],
  ['', '"'],
])('refuses %j and names the right spelling', (text, hint) => {
  expect(() => parseGrant(text)).toThrow(
    expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(hint) }),
  );
});

it.each([
  ['run-*', 'run-1', true],
  ['run-*', 'other', false],
  ['*a*b', 'xxaxxb', true],
  ['*a*b', 'xxbxxa', false],
  ['a*a', 'a', false],
  ['*', '', true],
  ['one%2Cta%2Bsk', 'one,ta+sk', true],
])('tasks=%s names %s: %s', (pattern, task, named) => {
  expect(covers(parseGrant(`tasks=${pattern}`), { store: storeId('s'), task })).toBe(named);
});
