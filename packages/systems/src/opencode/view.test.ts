import { afterEach, expect, it } from 'vitest';
import { openFixture, SESSIONS, type TestStore } from './test-store.ts';
import { errorOf, messagesOf, pendingOf, requestsOf, stepsOf, usageOf } from './view.ts';

let store: TestStore;
afterEach(() => store.close());

async function latestOf(name: string): Promise<string> {
  store = openFixture();
  const { ref } = await store.source.latest(SESSIONS[name] ?? '');
  return (ref && (await store.source.state(ref)))?.text ?? '';
}

it('chat: texts, calls with their arguments, and what they gave', async () => {
  const [channel] = messagesOf(await latestOf('tools'));
  const shown = channel?.messages.map(({ role, text, toolCalls, results }) => [
    role,
    text,
    toolCalls.map(({ name }) => name).join(),
    (results ?? []).map((result) => result.text.trim()).join(),
  ]);
  expect(shown?.slice(0, 4)).toEqual([
    ['human', 'Run echo and write a file', '', ''],
    ['ai', '', 'bash', 'hello-tool'],
    ['ai', expect.stringMatching(/^\[changed .*notes\.txt\]$/), 'write', 'Wrote file successfully.'],
    ['ai', 'Done.', '', ''],
  ]);
  const call = channel?.messages[1];
  expect(call?.toolCalls[0]).toEqual({
    name: 'bash',
    id: 'call_0005_0',
    args: '{"command":"echo hello-tool","description":"run echo hello-tool"}',
  });
  expect(call?.results?.[0]).toMatchObject({ callId: 'call_0005_0', name: 'bash' });
  expect([call?.tokens, call?.time]).toEqual([122, '2026-11-22T02:50:51.812Z']);
});

it('plan: the to-do list that was written last', async () => {
  expect(stepsOf(await latestOf('todo'))).toEqual([
    { name: 'paint', status: 'in_progress', isCurrent: true },
    { name: 'dry', status: 'pending' },
  ]);
});

it('a question that waits, as it is in the text', async () => {
  const text = await latestOf('question');
  expect(pendingOf(text)).toMatchObject([{ id: 'call_0058_0', executor: 'question' }]);
  const [request] = requestsOf(text);
  expect(request?.from).toBe('question');
  expect(text).toContain(`"questions":${request?.text}`);
  const call = messagesOf(text)[0]?.messages.at(-1);
  expect([call?.toolCalls[0]?.name, call?.results]).toEqual(['question', undefined]);
});

it('error and usage', async () => {
  const failed = await latestOf('error');
  expect(errorOf(failed)).toBe('APIError: mock bad request');
  await store.close();
  const text = await latestOf('tools');
  expect([errorOf(text), usageOf(text)]).toEqual([undefined, { tokens: 889 }]);
});

it.each(['{}', '[]', '{"messages":[{"info":{}},7]}'])('nothing in %s', async (text) => {
  store = openFixture();
  expect([messagesOf(text), stepsOf(text), errorOf(text), pendingOf(text), requestsOf(text), usageOf(text)]).toEqual([
    [],
    [],
    undefined,
    [],
    [],
    {},
  ]);
});
