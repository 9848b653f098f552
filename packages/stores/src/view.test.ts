import { describe, expect, it } from 'vitest';
import { errorOf, messagesOf, stepsOf } from './view.ts';

describe('messages of a native state', () => {
  it('are found under the common names', () => {
    const message = '{"role":"user","content":"hi"}';
    const text = `{"messages":[${message}],"context":{"messages":[${message},${message}]},"conversation_history":[]}`;
    expect(messagesOf(text).map(({ channel, messages }) => [channel, messages.length])).toEqual([
      ['context.messages', 2],
      ['messages', 1],
    ]);
  });
  it('keep role, ids, text parts and calls of every spelling, numbers as written', () => {
    const text = `{"messages":[
      {"role":"assistant","id":"m1","content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\\"n\\":1.0}"}}]},
      {"type":"ai","content":[{"type":"text","text":"one"},{"type":"tool_use","id":"c2","name":"g","input":{"n":1.0,"big":12345678901234567890}},{"type":"image","size":2.50}]},
      {"role":"tool","tool_call_id":"c1","name":"f","content":{"rows":3.0}},
      {"role":"critic","content":"no"}]}`;
    const [first, second, third, fourth] = messagesOf(text)[0]?.messages ?? [];
    expect(first).toMatchObject({
      role: 'ai',
      kind: 'assistant',
      id: 'm1',
      text: '',
      toolCalls: [{ name: 'f', id: 'c1', args: '{"n":1.0}' }],
    });
    expect(second?.text).toBe('one\n{"type":"image","size":2.50}');
    expect(second?.toolCalls).toEqual([{ name: 'g', id: 'c2', args: '{"n":1.0,"big":12345678901234567890}' }]);
    expect(third).toMatchObject({ role: 'tool', name: 'f', toolCallId: 'c1', text: '{"rows":3.0}' });
    expect(fourth).toMatchObject({ role: 'other', kind: 'critic' });
  });
  it('hide nothing that is among them', () => {
    const [list] = messagesOf('{"messages":[{"role":"user","content":"hi"},7.0,{"note":1}]}');
    expect(list?.messages.map(({ text }) => text)).toEqual(['hi', '7.0', '{"note":1}']);
  });
  it.each([
    '{}',
    '[]',
    '1',
    '{"messages":{}}',
    '{"messages":["a"]}',
    '{"messages":[{"role":"x"}]}',
    '{"context":null}',
  ])('are none in %s', (text) => expect(messagesOf(text)).toEqual([]));
  it('take names of inherited properties as plain roles', () =>
    expect(messagesOf('{"messages":[{"role":"constructor","content":""}]}')[0]?.messages[0]?.role).toBe('other'));
});

describe('steps of a native state', () => {
  it('come from the plan', () => {
    const text = `{"plan":[{"stepId":"s1","name":"fetch","status":"completed","durationMs":1840,"output":{"n":1.0}},
      {"description":"rank","status":"failed","error":{"message":"no data"}},"write it",{"id":"x","status":"on hold"}]}`;
    expect(stepsOf(text)).toEqual([
      { name: 'fetch', status: 'completed', errors: [], durationMs: 1840, output: '{"n":1.0}' },
      { name: 'rank', status: 'failed', errors: ['no data'] },
      { name: 'write it', status: 'unknown', errors: [] },
      { name: 'x', status: 'on hold', errors: [] },
    ]);
  });
  it('come from the completed and pending steps of a CheckpointState', () => {
    const text =
      '{"completedSteps":[{"stepId":"s1","name":"Step 1","result":{"k":0.50},"durationMs":10}],"pendingSteps":["step-2"]}';
    expect(stepsOf(text)).toEqual([
      { name: 'Step 1', status: 'completed', errors: [], durationMs: 10, output: '{"k":0.50}' },
      { name: 'step-2', status: 'pending', errors: [] },
    ]);
  });
  it.each(['{}', '3', '{"plan":"later"}', '{"plan":[]}', '{"plan":[1]}', '{"pendingSteps":{}}'])(
    'are none in %s',
    (text) => expect(stepsOf(text)).toEqual([]),
  );
  it('say the last error', () => {
    expect(errorOf('{"lastError":{"message":"API timeout"}}')).toBe('API timeout');
    expect(errorOf('{"lastError":"plain"}')).toBe('plain');
    expect(errorOf('{"lastError":null}')).toBeUndefined();
  });
});
