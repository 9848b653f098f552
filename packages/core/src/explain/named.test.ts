import { ChangeRoles } from '../diff/roles.ts';
import { formatPath } from '../json/path.ts';
import { mentionsIn } from './named.ts';
import { describe, expect, it } from 'vitest';

const STATE = JSON.stringify({
  order: {
    items: [
      { sku: 'AX-1', price: 350, amount: 2 },
      { sku: 'BX-2', price: 20, amount: 2 },
    ],
    total: 720.5,
  },
  revenue: { CompanyA: 4.1, CompanyB: 4200 },
  answer: 'it is done',
  user: 'Eve',
  messages: [{ role: 'user', content: 'Buy AX-1 for 350' }],
});

function named(error: string): (string | undefined)[] {
  const roles = new ChangeRoles();
  roles.observeState(STATE);
  return mentionsIn(error, STATE, roles).map(({ path }) => path && formatPath(path));
}

describe('mentionsIn', () => {
  it.each([
    ['order.items[0].price must be 122', '$.order.items[0].price'],
    ['order.items.0.price must be 122', '$.order.items[0].price'],
    ['/order/items/1/amount: too small', '$.order.items[1].amount'],
    ['1 validation error for Result\nitems[0].price\n  Input failed', '$.order.items[0].price'],
    ['the total 720.5 is not the sum of the items', '$.order.total'],
    ['CompanyB leads, but the summary says otherwise', '$.revenue.CompanyB'],
    ["the price of 'BX-2' is out of range", '$.order.items[1].price'],
  ])('%s', (error, path) => {
    expect(named(error)[0]).toBe(path);
  });

  it('is silent on ordinary words, also where keys and values are called so', () => {
    expect(named('the answer of the user was not accepted')).toEqual([]);
    expect(named('Eve said no')).toEqual([]);
    expect(named('validation failed: the report is inconsistent')).toEqual([]);
  });

  it('does not look into the conversation', () => {
    expect(named('message 350 for AX-1').filter((path) => path?.startsWith('$.messages'))).toEqual([]);
  });

  it('does not name the error itself, where the state has it', () => {
    const state = JSON.stringify({ writer: { error: { message: 'no answer in 30 s' } }, limit: 30 });
    const found = mentionsIn('TimeoutError: no answer in 30 s', state, new ChangeRoles());
    expect(found.map(({ path }) => path && formatPath(path))).toEqual(['$.limit']);
  });

  it('names the value that a check found, and not the entry of the check', () => {
    const checks = [{ name: 'total_matches', passed: false, expected: 1250, actual: 1296 }];
    const state = JSON.stringify({ invoice: { total: 1296 }, checks });
    const error = 'Check total_matches failed (expected 1250, actual 1296)';
    const found = mentionsIn(error, state, new ChangeRoles(), ['checks', 0]);
    expect(found.map(({ path }) => path && formatPath(path))).toEqual(['$.invoice.total']);
  });

  it('names what is missing without a path', () => {
    const roles = new ChangeRoles();
    expect(mentionsIn("KeyError: 'customer_id'", STATE, roles)).toEqual([{ text: 'customer_id' }]);
  });
});
