import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../lib/views.ts';
import { chatRows, countMessages, roleWord } from './rows.ts';

const say = (role: string, text: string, part: Partial<ChatMessage> = {}): ChatMessage => ({
  role,
  kind: role,
  text,
  toolCalls: [],
  ...part,
});
const main = {
  channel: 'messages',
  messages: [
    say('human', 'Weather in Paris?'),
    say('ai', '', { toolCalls: [{ name: 'get_weather', args: '{"city":"Paris"}' }] }),
    say('tool', '18C'),
  ],
};
const side = { channel: 'notes', messages: [say('critic', 'fine')] };

describe('chat rows', () => {
  it('need no head where there is one list', () => {
    expect(chatRows([main], '').map((row) => row.kind)).toEqual(['message', 'message', 'message']);
    expect(chatRows([main, side], '').map((row) => row.id)).toEqual([
      'messages',
      'messages 0',
      'messages 1',
      'messages 2',
      'notes',
      'notes 0',
    ]);
    expect(countMessages([main, side])).toBe(4);
  });
  it('are found by text, call and role, and keep their numbers', () => {
    expect(chatRows([main, side], 'CITY').map((row) => row.id)).toEqual(['messages', 'messages 1']);
    expect(chatRows([main], 'tool').flatMap((row) => (row.kind === 'message' ? [row.index] : []))).toEqual([2]);
    expect(chatRows([main, side], 'nowhere')).toEqual([]);
  });
  it('name an unknown role as it is stored', () => {
    expect(['human', 'critic', ''].map((role) => roleWord(role, role))).toEqual(['User', 'critic', 'Other']);
    expect(roleWord('other', 'constructor')).toBe('constructor');
  });
});
