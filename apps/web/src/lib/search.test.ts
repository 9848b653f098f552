import { createMemoryHistory } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import { parseSearch, rulesOf, stringifySearch, tasksSearch, workbenchSearch } from './search.ts';

describe('search params', () => {
  it('come back as they went', () => {
    const values = { cp: '12', path: '$.a["x y"][0]', rules: ['$.a', '$.b'], base: '' };
    expect(parseSearch(stringifySearch(values))).toEqual(values);
  });
  it('leave out what is absent', () => expect(stringifySearch({ a: undefined, b: {} })).toBe(''));
  it('cannot reach the prototype', () => {
    const values = parseSearch('?__proto__=x&constructor=y&toString=z');
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
    expect(values['toString']).toBe('z');
  });
  it('drop broken values and keep the rest', () => {
    expect(workbenchSearch({ view: 'nonsense', only: '7', cp: 'a', follow: 'yes' })).toMatchObject({
      cp: 'a',
      view: undefined,
      only: undefined,
      follow: undefined,
    });
    expect(tasksSearch({ status: 'failed', sort: ['x'] })).toMatchObject({ status: ['failed'], sort: undefined });
  });
  it('tell no rules from the rules of the store', () => {
    expect(rulesOf(undefined)).toBeUndefined();
    expect(rulesOf([''])).toEqual([]);
  });
  it('survive a history', () => {
    const history = createMemoryHistory({ initialEntries: [`/t/s/x${stringifySearch({ cp: 'a/b&c' })}`] });
    expect(parseSearch(history.location.search)).toEqual({ cp: 'a/b&c' });
  });
});
