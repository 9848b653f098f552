import { storeId } from '@checkpoint-inspector/core';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { api } from './api.ts';
import { stateQuery } from './queries.ts';
import { messageReader, viewsOf, viewsQuery } from './views.ts';

it('views come, though who asked for the state first has left before it came', async () => {
  const at = { store: storeId('s'), task: 't', id: 'c' };
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'go' }] });
  const asked = vi.spyOn(api, 'state').mockImplementation(
    (_at, { signal } = {}) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('left')));
        setTimeout(() => resolve({ text, hash: 'r' }), 30);
      }),
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const leave = new QueryObserver(client, stateQuery(at, 'r')).subscribe(() => undefined);
  const views = new QueryObserver(client, viewsQuery('native', at, 'r'));
  const stop = views.subscribe(() => undefined);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  leave();
  await vi.waitFor(() => expect(views.getCurrentResult().data?.chat).toHaveLength(1));
  stop();
  asked.mockRestore();
});

describe('views of a state', () => {
  it('are absent, not empty', async () => {
    for (const system of ['native', 'kaizen', 'langgraph', 'ctx-sys', 'agent-framework'])
      expect(await viewsOf(system, '{"n":1}')).toEqual({});
    expect(await viewsOf('unheard-of', '{"messages":[{"role":"user","content":"hi"}]}')).toEqual({});
    expect(await viewsOf('constructor', '{}')).toEqual({});
  });
  it('say what is not JSON', async () => {
    await expect(viewsOf('native', '{')).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('of kaizen: conversation, and actions as steps', async () => {
    const text = JSON.stringify({
      conversation_history: [{ role: 'user', content: 'go' }],
      completed_actions: [
        { action: 'fetch', ok: true },
        { action: 'rank', ok: false },
      ],
      pending_actions: [{ action: 'write' }],
      metadata: { error: 'no ranking' },
    });
    const { chat, plan } = await viewsOf('kaizen', text);
    expect(chat).toEqual([
      {
        channel: 'conversation_history',
        messages: [
          { role: 'human', kind: 'user', text: 'go', toolCalls: [], stored: '{"role":"user","content":"go"}' },
        ],
      },
    ]);
    expect(plan?.steps.map(({ name, status }) => [name, status])).toEqual([
      ['fetch', 'completed'],
      ['rank', 'failed'],
      ['write', 'pending'],
    ]);
    expect(plan?.error).toBe('no ranking');
  });

  it('of LangGraph: arguments as written in the text', async () => {
    const call = '{"id":"c1","name":"convert","args":{"c":18.0,"big":12345678901234567890}}';
    const plain = `{"role":"assistant","content":"","tool_calls":[${call}]}`;
    const boxed = `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"","tool_calls":[${call}],"usage_metadata":{"input_tokens":2,"output_tokens":3,"total_tokens":5}}}`;
    const { chat, plan } = await viewsOf('langgraph', `{"messages":[${plain},${boxed}]}`);
    expect(plan).toBeUndefined();
    for (const message of chat?.[0]?.messages ?? [])
      expect(message.toolCalls).toEqual([{ name: 'convert', id: 'c1', args: '{"c":18.0,"big":12345678901234567890}' }]);
    expect(chat?.[0]?.messages.map(({ tokens }) => tokens)).toEqual([undefined, 5]);
  });

  it('of ctx-sys: each step with its result as written in the text', async () => {
    const text = `{"plan":[{"id":"s1","description":"read","status":"completed","dependencies":[]},
      {"id":"s2","description":"write","status":"pending","dependencies":["s1"]}],"currentStepIndex":1,
      "results":[{"stepId":"s1","output":{"rows":1.0},"durationMs":1200,"tokenUsage":40}]}`;
    const { plan } = await viewsOf('ctx-sys', text);
    expect(plan?.steps).toEqual([
      {
        name: 'read',
        status: 'completed',
        isCurrent: false,
        errors: [],
        details: [],
        duration: '1.20 s',
        tokens: 40,
        output: '{"rows":1.0}',
      },
      { name: 'write', status: 'pending', isCurrent: true, errors: [], details: ['after s1'] },
    ]);
  });

  it('of Agent Framework: what waits for a person', async () => {
    const { plan } = await viewsOf(
      'agent-framework',
      '{"pending_request_info_events":{"r1":{"ask":"ship?","price":2.50}},"messages":{}}',
    );
    expect(plan?.requests).toEqual([{ id: 'r1', text: '{"ask":"ship?","price":2.50}' }]);
  });

  it('of rlm-act: phases with artifacts, errors and the digits of their time', async () => {
    const text =
      '{"phase":"research-failed","state":{"phase_results":{"research":{"status":"failed","artifacts":["a.md"],"errors":["boom"],"duration_seconds":1.50}}}}';
    const { plan } = await viewsOf('rlm-act', text);
    expect(plan?.steps.find(({ name }) => name === 'research')).toEqual({
      name: 'research',
      status: 'failed',
      isCurrent: false,
      errors: ['boom'],
      details: ['a.md'],
      duration: '1.50 s',
    });
  });

  it('keep a status that is none of the known words', async () => {
    const { plan } = await viewsOf('native', '{"plan":[{"name":"a","status":"on hold"}]}');
    expect(plan?.steps[0]).toMatchObject({ status: 'unknown', statusText: 'on hold' });
  });
});

describe('one message of a list', () => {
  const assistant = '{"role":"assistant","content":"Third answer.","n":1.0}';
  it.each([
    ['codex', '$.items[13]', '{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}', 'go'],
    ['opencode', '$.messages[9]', '{"info":{"role":"assistant"},"parts":[{"type":"text","text":"Done."}]}', 'Done.'],
    ['openai-agents', '$.generatedItems[0]', `{"type":"message_output_item","rawItem":${assistant}}`, 'Third answer.'],
    ['langgraph', '$.messages[2]', assistant, 'Third answer.'],
    ['native', '$.messages[2]', assistant, 'Third answer.'],
  ])('is read as the view of %s reads it among the others', async (system, path, text, said) => {
    expect((await messageReader(system))(path, text)?.text).toBe(said);
  });

  it('is told from other values, and from a message elsewhere', async () => {
    const read = await messageReader('codex');
    expect(read('$.items[0]', '{"type":"reasoning","n":1}')).toBeUndefined();
    expect(read('$.items[0]', '"go"')).toBeUndefined();
    expect(read('$.items', `[${assistant}]`)).toBeUndefined();
    expect(read('$.other[0]', assistant)).toBeUndefined();
    expect((await messageReader('unheard-of'))('$.messages[0]', assistant)).toBeUndefined();
  });
});
