import { expect, it } from 'vitest';
import { answer, called, prompt } from './fixtures/records.ts';
import { errorOf, messagesOf, pendingOf, requestsOf, stepsOf } from './view.ts';

const stateOf = (...messages: readonly object[]): string => JSON.stringify({ sessionId: 's1', messages });

it('shows the conversation with calls and results', () => {
  const call = called('g1', 'Let me look.', [['c1', 'read_file', 'success']]);
  const result = [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'text' } } }];
  const toolCalls = call.toolCalls.map((one) => ({ ...one, result }));
  const [channel] = messagesOf(stateOf(prompt('u1', 'hi'), { ...call, toolCalls }));
  expect(channel?.messages).toMatchObject([
    { role: 'human', text: 'hi' },
    {
      role: 'ai',
      text: 'Let me look.',
      toolCalls: [{ id: 'c1', name: 'read_file', args: '{"path":"."}' }],
      results: [{ callId: 'c1', text: '{"output":"text"}' }],
      tokens: 10,
    },
  ]);
});

it('shows a result once, with its call or as the message that the model was sent', () => {
  const response = { functionResponse: { id: 'c1', name: 'ls', response: { output: 'a' } } };
  const call = { ...answer('g1', ''), toolCalls: [{ id: 'c1', name: 'ls', args: {}, result: [response] }] };
  const resultsIn = (...messages: readonly object[]) =>
    messagesOf(stateOf(...messages))[0]?.messages.map(({ results = [] }) => results.length);
  expect(resultsIn(call)).toEqual([1]);
  expect(resultsIn(call, { id: 'r1', type: 'user', content: [response] })).toEqual([0, 1]);
});

it('shows the last to-do list as the plan', () => {
  const todos = (status: string) => ({
    ...answer('g1', ''),
    toolCalls: [{ id: 'c1', name: 'write_todos', args: { todos: [{ description: 'write tests', status }] } }],
  });
  expect(stepsOf(stateOf(todos('pending'), { ...todos('in_progress'), id: 'g2' }))).toEqual([
    { name: 'write tests', status: 'in_progress', isCurrent: true },
  ]);
  expect(stepsOf(stateOf(prompt('u1', 'hi')))).toEqual([]);
});

it('names the error that it ends with, and calls that wait to be allowed', () => {
  expect(errorOf(stateOf(prompt('u1', 'hi'), { id: 'e', type: 'error', content: 'quota' }))).toBe('quota');
  expect(errorOf(stateOf({ id: 'e', type: 'error', content: 'quota' }, prompt('u1', 'again')))).toBeUndefined();
  const state = stateOf(called('g1', '', [['c1', 'run_shell_command', 'awaiting_approval']]));
  expect(pendingOf(state)).toEqual([{ id: 'c1', executor: 'run_shell_command', value: { path: '.' } }]);
  expect(requestsOf(state)).toEqual([{ id: 'c1', from: 'run_shell_command', text: '{"path":"."}' }]);
});
