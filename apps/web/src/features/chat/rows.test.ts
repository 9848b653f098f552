import type { ChatMessage } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { joinCalls, newMessages } from './join.ts';
import { chatRows, countMessages, newsOf, roleWord } from './rows.ts';

const say = (role: ChatMessage['role'], text: string, part: Partial<ChatMessage> = {}): ChatMessage => ({
  role,
  kind: role,
  text,
  toolCalls: [],
  stored: '',
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
const side = { channel: 'notes', messages: [say('other', 'fine')] };

describe('chat rows', () => {
  it('need no head where there is one list', () => {
    expect(chatRows([main], '').map((row) => row.kind)).toEqual(['message', 'message']);
    expect(chatRows([main, side], '').map((row) => row.id)).toEqual([
      'messages',
      'messages 0',
      'messages 1',
      'notes',
      'notes 0',
    ]);
    expect(countMessages([main, side])).toBe(4);
  });
  it('are found by text, call and role, and keep their numbers', () => {
    expect(chatRows([main, side], 'CITY').map((row) => row.id)).toEqual(['messages', 'messages 1']);
    expect(chatRows([main], 'user').flatMap((row) => (row.kind === 'message' ? [row.index] : []))).toEqual([0]);
    expect(chatRows([main], '18c').flatMap((row) => (row.kind === 'message' ? [row.index] : []))).toEqual([1]);
    expect(chatRows([main, side], 'nowhere')).toEqual([]);
  });
  it('name an unknown role as stored', () => {
    expect(['human', 'critic', ''].map((role) => roleWord(role, role))).toEqual(['User', 'critic', 'Other']);
    expect(roleWord('other', 'constructor')).toBe('constructor');
  });
});

const call = (name: string, id?: string) => ({ name, args: '{}', ...(id === undefined ? {} : { id }) });
const resultsOf = (messages: readonly ChatMessage[]) =>
  joinCalls(messages).map(({ index, calls, results }) => [
    index,
    calls.map(({ name, result }) => `${name}: ${result?.text ?? '-'}`),
    results.map(({ text }) => text),
  ]);

describe('calls of tools', () => {
  it('are joined to their results by id, in any order', () => {
    const messages = [
      say('ai', '', { toolCalls: [call('a', '1'), call('b', '2')] }),
      say('tool', 'of b', { toolCallId: '2' }),
      say('tool', 'of a', { toolCallId: '1' }),
    ];
    expect(resultsOf(messages)).toEqual([[0, ['a: of a', 'b: of b'], []]]);
  });
  it('are joined to results in their own message, after those of calls before it', () => {
    const messages = [
      say('ai', '', { toolCalls: [call('a', '1')] }),
      say('ai', 'again', {
        toolCalls: [call('a', '2'), call('b', '3')],
        results: [
          { callId: '2', text: 'second' },
          { callId: '1', text: 'first' },
        ],
      }),
    ];
    expect(resultsOf(messages)).toEqual([
      [0, ['a: first'], []],
      [1, ['a: second', 'b: -'], []],
    ]);
  });
  it('take the next results where no id is stored, those of their own name first', () => {
    const messages = [
      say('ai', '', { toolCalls: [call('a'), call('b')] }),
      say('tool', 'of b', { name: 'b' }),
      say('tool', 'of a'),
    ];
    expect(resultsOf(messages)).toEqual([[0, ['a: of a', 'b: of b'], []]]);
  });
  it('find their results among the parts of the next message, which keeps its words', () => {
    const messages = [
      say('ai', '', { toolCalls: [call('a', '1')] }),
      say('human', 'go on', { results: [{ callId: '1', text: 'of a' }] }),
      say('ai', '', { toolCalls: [call('b', '2')] }),
      say('human', '', { results: [{ callId: '2', text: 'of b' }] }),
    ];
    expect(resultsOf(messages)).toEqual([
      [0, ['a: of a'], []],
      [1, [], []],
      [2, ['b: of b'], []],
    ]);
  });
  it('keep what answers no call, or a call twice', () => {
    const messages = [
      say('tool', 'of nobody', { toolCallId: '9' }),
      say('ai', '', { toolCalls: [call('a', '1')] }),
      say('tool', 'first', { toolCallId: '1' }),
      say('tool', 'second', { toolCallId: '1' }),
      say('human', '', { results: [{ callId: '8', text: 'of nobody too' }] }),
    ];
    expect(resultsOf(messages)).toEqual([
      [0, [], []],
      [1, ['a: first'], []],
      [3, [], []],
      [4, [], ['of nobody too']],
    ]);
  });
});

describe('new messages', () => {
  const before = [say('human', 'hi'), say('ai', 'hello')];
  it('are those that the parent did not have, wherever the others moved', () => {
    expect([...newMessages(before, [...before, say('human', 'hi')])]).toEqual([2]);
    expect([...newMessages(before, [say('system', 'be kind'), say('ai', 'hello'), say('human', 'hi')])]).toEqual([0]);
    expect([...newMessages(before, before)]).toEqual([]);
  });
  it('are shown below a line, and are counted with the removed ones', () => {
    const channels = (messages: readonly ChatMessage[]) => [{ channel: 'messages', messages }];
    const now = channels([say('human', 'hi'), say('ai', 'hello!'), say('human', 'and?')]);
    expect(chatRows(now, '', channels(before)).map((row) => row.id)).toEqual([
      'messages 0',
      'messages since',
      'messages 1',
      'messages 2',
    ]);
    expect(newsOf(channels(before), now)).toEqual({ added: 2, removed: 1 });
    expect(chatRows(now, '').some((row) => row.kind === 'since')).toBe(false);
  });
});
