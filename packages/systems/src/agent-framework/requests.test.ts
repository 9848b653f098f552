import { describe, expect, it } from 'vitest';
import { messagesOf, requestsOf } from './view.ts';

describe('requestsOf', () => {
  it('cuts what is asked from the text: numbers keep their digits', () => {
    const python =
      '{"pending_request_info_events": {"r1": {"source_executor_id": "gate", "data": {"big": 12345678901234567890}}}}';
    expect(requestsOf(python)).toEqual([
      { id: 'r1', from: 'gate', text: '{"source_executor_id": "gate", "data": {"big": 12345678901234567890}}' },
    ]);
    const document =
      '{"pendingMessages": [{"requestId": "a", "executorId": "e", "data": 1.0}, {"requestId": "b", "data": "Go on?"}]}';
    expect(requestsOf(document)).toEqual([
      { id: 'a', from: 'e', text: '1.0' },
      { id: 'b', text: 'Go on?' },
    ]);
    const dotnet = '{"runnerData": {"outstandingRequests": [{"requestId": "n", "data": {"value": 1.50}}]}}';
    expect(requestsOf(dotnet)).toEqual([{ id: 'n', text: '{"requestId": "n", "data": {"value": 1.50}}' }]);
  });

  it('names a pickled request by type and size, unopened', () => {
    const pickled = '{"__pickled__": "gASVAAAAAA==", "__type__": "app:Approval"}';
    expect(requestsOf(`{"pending_request_info_events": {"r": ${pickled}}}`)).toEqual([
      { id: 'r', text: 'app:Approval, 7 bytes, not opened' },
    ]);
  });

  it('is empty where nobody is asked', () => {
    expect(requestsOf('{}')).toEqual([]);
  });
});

describe('messagesOf', () => {
  const message = (role: string, contents: string) => `{"type":"message","role":"${role}","contents":[${contents}]}`;

  it('finds conversations wherever an executor keeps them', () => {
    const call = '{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}';
    const list = `[${message('user', '{"type":"text","text":"hi"}')},${message('assistant', call)}]`;
    const text = `{"state":{"_executor_state":{"writer":{"cache":${list},"notes":[{"role":"user"}]}}}}`;
    const [channel, ...others] = messagesOf(text);
    expect(others).toEqual([]);
    expect(channel?.channel).toBe('state._executor_state.writer.cache');
    expect(channel?.messages.map(({ role, text, toolCalls }) => [role, text, toolCalls.length])).toEqual([
      ['human', 'hi', 0],
      ['ai', '', 1],
    ]);
  });

  it('takes nothing else for one', () => {
    expect(messagesOf('{"a":[{"contents":[]}],"b":[],"c":[{"role":"user","content":"hi"}]}')).toEqual([]);
  });
});
