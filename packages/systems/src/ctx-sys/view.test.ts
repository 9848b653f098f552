import { describe, expect, test } from 'vitest';
import { errorOf, messagesOf, stepsOf, usageOf } from './view.ts';

const state = JSON.stringify({
  query: 'Find revenue',
  plan: [
    { id: '1', description: 'Identify', action: 'search', parameters: {}, status: 'completed' },
    { id: '2', description: 'Fetch', action: 'http', parameters: {}, status: 'failed', dependencies: ['1', 7] },
    { id: 3, status: 'odd' },
  ],
  currentStepIndex: 1,
  results: [{ stepId: '1', output: ['A', 'B'], completedAt: 'x', durationMs: 12, tokenUsage: 5 }],
  context: {
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
      { role: 'toString', content: 12345678901234567890n.toString() },
    ],
    notes: [{ role: 'user' }],
    list: [],
  },
  lastError: { message: 'API timeout', stepIndex: 1 },
});

test('steps: plan and result of each, the one that runs next marked', () => {
  expect(stepsOf(state)).toEqual([
    {
      index: 0,
      id: '1',
      name: 'Identify',
      action: 'search',
      status: 'completed',
      isCurrent: false,
      dependencies: [],
      output: '["A","B"]',
      durationMs: 12,
      tokenUsage: 5,
    },
    { index: 1, id: '2', name: 'Fetch', action: 'http', status: 'failed', isCurrent: true, dependencies: ['1', '7'] },
    { index: 2, id: '3', name: '', status: 'unknown', isCurrent: false, dependencies: [] },
  ]);
});

test('messages: lists of role and content in the working memory', () => {
  expect(messagesOf(state)).toEqual([
    {
      channel: 'messages',
      messages: [
        expect.objectContaining({
          role: 'human',
          kind: 'user',
          text: 'hello',
          stored: '{"role":"user","content":"hello"}',
        }),
        expect.objectContaining({ role: 'ai', kind: 'assistant', text: 'hi' }),
        expect.objectContaining({ role: 'other', kind: 'toString', text: '12345678901234567890' }),
      ],
    },
  ]);
});

test('error and usage', () => {
  expect(errorOf(state)).toBe('API timeout');
  expect(usageOf(state)).toEqual({ tokens: 5, durationMs: 12 });
});

describe('anything else is shown empty, and big numbers keep their digits', () => {
  test.each(['null', '[]', '5', '{"plan":1,"results":{},"context":[],"lastError":7}'])('%s', (text) => {
    expect([stepsOf(text), messagesOf(text), errorOf(text), usageOf(text)]).toEqual([[], [], undefined, {}]);
  });
  test('no JSON is unreadable', () => {
    expect(() => stepsOf('{')).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
  test('digits', () => {
    const text = '{"plan":[{"id":"1"}],"results":[{"stepId":"1","output":12345678901234567890}]}';
    expect(stepsOf(text)[0]?.output).toContain('12345678901234567890');
  });
});
