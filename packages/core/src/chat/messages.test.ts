import { describe, expect, it } from 'vitest';
import { parseJson } from '../json/index.ts';
import { type ChatMessage, messageIn, messagesIn } from './messages.ts';

const read = (text: string): ChatMessage | undefined => messageIn(text, parseJson(text));

describe('a message', () => {
  it('of OpenAI names its calls, and a tool the call it answers', () => {
    const text = String.raw`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"n\":1.0}"}}]}`;
    expect(read(text)).toEqual({
      role: 'ai',
      kind: 'assistant',
      text: '',
      toolCalls: [{ name: 'f', id: 'c1', args: '{"n":1.0}' }],
      stored: text,
    });
    expect(read('{"role":"tool","tool_call_id":"c1","content":"18 C"}')).toMatchObject({
      role: 'tool',
      toolCallId: 'c1',
      text: '18 C',
    });
  });

  it('may be an item of a response: a call or what it gave', () => {
    expect(read('{"type":"function_call","id":"fc_1","callId":"c1","name":"f","arguments":"{}"}')).toMatchObject({
      role: 'ai',
      toolCalls: [{ name: 'f', id: 'c1', args: '{}' }],
    });
    expect(
      read('{"type":"function_call_result","callId":"c1","name":"f","output":{"type":"text","text":"18 C"}}'),
    ).toMatchObject({ role: 'tool', toolCallId: 'c1', name: 'f', text: '18 C' });
    expect(read('{"type":"function_call_output","call_id":"c1","output":"18 C"}')).toMatchObject({ text: '18 C' });
  });

  it('of the AI SDK has calls among its parts, each with what it gave', () => {
    const tool = '"toolCallId":"c1","toolName":"f","args":{"n":1.0}';
    const parts = `{"type":"tool-invocation","toolInvocation":{"state":"result",${tool},"result":{"t":18}}},{"type":"step-start"},{"type":"text","text":"Mild"}`;
    const expected = {
      text: 'Mild',
      toolCalls: [{ name: 'f', id: 'c1', args: '{"n":1.0}' }],
      results: [{ callId: 'c1', name: 'f', text: '{"t":18}' }],
    };
    expect(read(`{"role":"assistant","type":"v2","content":{"format":2,"parts":[${parts}]}}`)).toMatchObject(expected);
    const later = '{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"n":1.0},"output":{"t":18}}';
    expect(read(`{"role":"assistant","parts":[${later},{"type":"text","text":"Mild"}]}`)).toMatchObject(expected);
    const open = '{"type":"tool-f","toolCallId":"c1","state":"input-available","input":{}}';
    expect(read(`{"role":"assistant","parts":[${open}]}`)).not.toHaveProperty('results');
  });

  it('of Anthropic has calls and results among its parts', () => {
    const call = '{"type":"tool_use","id":"t1","name":"f","input":{"n":1.0,"big":12345678901234567890}}';
    expect(read(`{"role":"assistant","content":[{"type":"text","text":"Let me look."},${call}]}`)).toMatchObject({
      text: 'Let me look.',
      toolCalls: [{ id: 't1', name: 'f', args: '{"n":1.0,"big":12345678901234567890}' }],
    });
    const result = '{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"18 C"}]}';
    expect(read(`{"role":"user","content":[${result},{"type":"text","text":"go on"}]}`)).toMatchObject({
      role: 'human',
      text: 'go on',
      results: [{ callId: 't1', text: '18 C' }],
    });
  });

  it('of LangChain comes out of its envelopes, with a call once', () => {
    const call = '{"id":"t1","name":"f","args":{"n":1.0}}';
    const kwargs = `{"content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"t1","name":"f","input":{"n":1.0}}],"tool_calls":[${call}],"id":"ai-1","usage_metadata":{"input_tokens":2,"output_tokens":3}}`;
    const boxed = `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":${kwargs}}`;
    expect(read(boxed)).toMatchObject({
      role: 'ai',
      kind: 'AIMessage',
      id: 'ai-1',
      text: 'hm',
      toolCalls: [{ id: 't1', name: 'f', args: '{"n":1.0}' }],
      tokens: 5,
    });
    expect(read('{"type":"human","data":{"content":"hi"}}')).toMatchObject({ role: 'human', text: 'hi' });
  });

  it('of Agent Framework has contents, in Python and .NET', () => {
    const python = `{"type":"chat_message","role":{"type":"role","value":"assistant"},"author_name":"writer","message_id":"m1",
      "contents":[{"type":"text","text":"wait"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}]}`;
    expect(read(python)).toMatchObject({
      role: 'ai',
      id: 'm1',
      name: 'writer',
      text: 'wait',
      toolCalls: [{ id: 'c1' }],
    });
    const dotnet = '{"role":"tool","contents":[{"$type":"functionResult","callId":"c1","result":"18 C"}]}';
    expect(read(dotnet)).toMatchObject({ role: 'tool', text: '', results: [{ callId: 'c1', text: '18 C' }] });
  });

  it('of Gemini has parts', () => {
    const text = '{"role":"model","parts":[{"text":"hm"},{"functionCall":{"name":"f","args":{"n":1.0}}}]}';
    expect(read(text)).toMatchObject({ role: 'ai', text: 'hm', toolCalls: [{ name: 'f', args: '{"n":1.0}' }] });
  });

  it('of Gemini CLI keeps the results of its calls, and its tokens', () => {
    const result = '{"functionResponse":{"id":"c1","name":"f","response":{"output":"18 C"}}}';
    const call = `{"id":"c1","name":"f","args":{"n":1.0},"result":[${result}],"status":"success"}`;
    const text = `{"id":"m1","type":"gemini","content":"hm","toolCalls":[${call}],"tokens":{"input":5,"total":7}}`;
    expect(read(text)).toMatchObject({
      role: 'ai',
      text: 'hm',
      toolCalls: [{ id: 'c1', name: 'f', args: '{"n":1.0}' }],
      results: [{ callId: 'c1', name: 'f', text: '{"output":"18 C"}' }],
      tokens: 7,
    });
  });

  it.each([
    ['"2026-01-01T10:00:00Z"', '2026-01-01T10:00:00Z'],
    ['"2026-01-01 10:00:00"', '2026-01-01 10:00:00'],
    ['1767261600', '2026-01-01T10:00:00.000Z'],
    ['1767261600000', '2026-01-01T10:00:00.000Z'],
    ['7', undefined],
    ['"soon"', undefined],
  ])('has its time where %s is one', (stored, time) => {
    expect(read(`{"role":"user","content":"hi","created_at":${stored}}`)?.time).toBe(time);
    expect(read(`{"role":"user","content":"hi","metadata":{"timestamp":${stored}}}`)?.time).toBe(time);
  });

  it.each([
    '{}',
    '7',
    '{"role":"user"}',
    '{"content":"hi"}',
    '{"type":"function_call"}',
    '{"kwargs":{},"id":["Secret"]}',
  ])('is not %s', (text) => expect(read(text)).toBeUndefined());
});

it('hides nothing that is among messages, and a list without any is not a conversation', () => {
  const text = '[{"role":"user","content":"hi"},7.0,{"note":1}]';
  expect(messagesIn(text, parseJson(text)).map((message) => message.text)).toEqual(['hi', '7.0', '{"note":1}']);
  expect(messagesIn('[7]', parseJson('[7]'))).toEqual([]);
  expect(messagesIn('{}', parseJson('{}'))).toEqual([]);
});
