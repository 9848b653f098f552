import { kindOf, repeatedCall } from './kind.ts';
import { expect, it } from 'vitest';

it.each([
  ['TimeoutError: LLM call exceeded 30s', 'outside'],
  ['429 Too Many Requests: rate limit reached for the model', 'outside'],
  ['connect ECONNREFUSED 127.0.0.1:443', 'outside'],
  ['Your credit balance is too low', 'outside'],
  [`Unexpected token '<', "<!DOCTYPE "... is not valid JSON`, 'outside'],
  ['unable to verify the first certificate', 'outside'],
  ['Recursion limit of 25 reached without hitting a stop condition', 'gave_up'],
  ['Max turns (4) exceeded', 'gave_up'],
  ['maximum number of iterations reached', 'gave_up'],
  ['ValidationError: total does not match', 'threw'],
  ["KeyError: 'customer_id'", 'threw'],
  ['order 4290 was refused', 'threw'],
  ['', 'threw'],
] as const)('%s', (error, kind) => {
  expect(kindOf(error)).toBe(kind);
});

it('names a call that was made again and again, and no other', () => {
  const call = (name: string, args = '{}') => ({ name, args });
  expect(repeatedCall([call('a'), call('b'), call('b'), call('b')])).toEqual({ call: 'b', args: '{}', times: 3 });
  expect(repeatedCall([call('b'), call('b'), call('b', '{"n":2}')])).toBeUndefined();
  expect(repeatedCall([])).toBeUndefined();
});
