import { describe, expect, test } from 'vitest';
import { errorOf, messagesOf, nextOf, usageOf } from './view.ts';

const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
});

describe('messagesOf', () => {
  test('reads envelopes and plain messages as data', () => {
    const call = { id: 'c', name: 'weather', args: { city: 'Paris' }, type: 'tool_call' };
    const usage_metadata = { input_tokens: 20, output_tokens: 8, total_tokens: 28 };
    const text = JSON.stringify({
      messages: [
        lc('HumanMessage', {
          id: 'h',
          name: 'alice',
          content: [{ type: 'text', text: 'a' }, { type: 'image_url', image_url: { url: 'x' } }, 'b'],
        }),
        lc('AIMessage', { id: 'a', content: 'hm', tool_calls: [call], usage_metadata }),
        lc('ToolMessage', { content: '18C', tool_call_id: 'c' }),
        { role: 'system', content: 'terse' },
        { type: 'remove', id: 'h' },
        lc('ChatMessage', { content: 'x' }),
      ],
      n: 1,
      list: [1, 2],
      mixed: [{ role: 'user', content: 'x' }, 3],
      empty: [],
    });
    const [only, ...others] = messagesOf(text);
    expect(others).toEqual([]);
    expect(only).toEqual({
      channel: 'messages',
      messages: [
        { role: 'human', kind: 'HumanMessage', id: 'h', name: 'alice', text: 'a\nb', toolCalls: [] },
        {
          role: 'ai',
          kind: 'AIMessage',
          id: 'a',
          text: 'hm',
          toolCalls: [{ name: 'weather', id: 'c', args: { city: 'Paris' } }],
          usage: { input: 20, output: 8, total: 28 },
        },
        { role: 'tool', kind: 'ToolMessage', text: '18C', toolCalls: [], toolCallId: 'c' },
        { role: 'system', kind: 'system', text: 'terse', toolCalls: [] },
        { role: 'remove', kind: 'remove', id: 'h', text: '', toolCalls: [] },
        { role: 'other', kind: 'ChatMessage', text: 'x', toolCalls: [] },
      ],
    });
    expect(usageOf(text)).toEqual({ input: 20, output: 8, total: 28 });
  });

  test('a state that is not an object has none; what is not JSON is unreadable', () => {
    expect(messagesOf('[1]')).toEqual([]);
    expect(usageOf('{"messages":[{"role":"user","content":"x"}]}')).toBeUndefined();
    expect(() => messagesOf('{')).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
});

test('errors of both languages, and values that are none', () => {
  expect(errorOf('{"message":"no","name":"TypeError"}')).toBe('TypeError: no');
  expect(errorOf('{"message":"no"}')).toBe('no');
  expect(errorOf('"ValueError(\'x\')"')).toBe("ValueError('x')");
  expect(errorOf('{"code":1}')).toBe('{"code":1}');
});

test('what runs next: joins wait for all, versions are compared as numbers, sends count one by one', () => {
  const shape = (values: object, versions: object, seen: object) =>
    nextOf(JSON.stringify({ v: 4, channel_values: values, channel_versions: versions, versions_seen: seen }));
  expect(shape({ 'branch:to:a': null }, { 'branch:to:a': 2 }, { a: { 'branch:to:a': 1 } })).toEqual(['a']);
  expect(shape({ 'branch:to:a': null }, { 'branch:to:a': 2 }, { a: { 'branch:to:a': 2 } })).toEqual([]);
  expect(shape({}, { 'branch:to:a': 2 }, {})).toEqual([]);
  const [old, fresh] = ['00000000000000000000000000000009.0.9', '00000000000000000000000000000010.0.1'];
  expect(shape({ 'branch:to:a': null }, { 'branch:to:a': fresh }, { a: { 'branch:to:a': old } })).toEqual(['a']);
  expect(shape({ 'join:x+y:z': ['x'] }, { 'join:x+y:z': 3 }, {})).toEqual([]);
  expect(shape({ 'join:x+y:z': ['y', 'x'] }, { 'join:x+y:z': 3 }, {})).toEqual(['z']);
  expect(shape({ __pregel_tasks: [{ node: 'g', args: 1 }, { node: 'g', args: 2 }, 5] }, {}, {})).toEqual(['g', 'g']);
  expect(nextOf('[]')).toEqual([]);
});
