import { callsOf, messagesOf, originIn } from './conversation.ts';
import { describe, expect, it } from 'vitest';

const call = (id: string, name: string, args: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const STATE = JSON.stringify({
  total: 1,
  messages: [
    { role: 'user', content: 'Book hotel Meridian for at most 200.' },
    call('1', 'search_prices', { city: 'Riga' }),
    { role: 'tool', tool_call_id: '1', content: '{"price": 1122.50, "tax": "4,200"}' },
    call('2', 'set_price', { price: 77.25 }),
  ],
});
const said = messagesOf(STATE);
const origin = (value: string) => originIn(said, value)?.origin;

describe('originIn', () => {
  it('names the tool whose answer holds a figure, digit for digit', () => {
    expect(origin('1122.50')).toEqual({ from: 'tool', name: 'search_prices' });
    expect(origin('4200')).toEqual({ from: 'tool', name: 'search_prices' });
    expect(origin('122.50')).toEqual({ from: 'nowhere' });
    expect(origin('1122')).toEqual({ from: 'nowhere' });
  });

  it('names the user, and the agent whose call first had it', () => {
    expect(origin('"hotel Meridian"')).toEqual({ from: 'user' });
    expect(origin('77.25')).toEqual({ from: 'agent' });
  });

  it('says nothing of a flag, a digit, an object', () => {
    for (const value of ['true', '7', 'null', '{"a":1}', '""']) expect(originIn(said, value)).toBeUndefined();
  });
});

it('counts a call once, also where it is stored twice', () => {
  const twice = messagesOf(
    JSON.stringify({ a: [call('1', 'look', {})], b: [call('1', 'look', {}), call('2', 'look', {})] }),
  );
  expect(callsOf(twice).map(({ id }) => id)).toEqual(['1', '2']);
});
