import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyOfHome, openTranscripts } from './fixtures/open.ts';
import { messagesOf, pendingOf, requestsOf, stepsOf } from './view.ts';

const A = '11111111-1111-4111-8111-111111111111';

async function stateOf(id: string): Promise<string> {
  const source = await openTranscripts(join(await copyOfHome(), 'projects'));
  return (await source.state({ task: A, id }))?.text ?? '';
}

it('shows the conversation with calls and results', async () => {
  const [channel] = messagesOf(await stateOf('toolu_read'));
  expect(channel?.messages).toMatchObject([
    { role: 'human', text: 'Tidy up notes.md' },
    { role: 'ai' },
    { role: 'ai', text: 'I will read the file first.' },
    {
      role: 'ai',
      toolCalls: [{ id: 'toolu_read', name: 'Read', args: '{"file_path":"/home/dev1/work/notes/notes.md"}' }],
    },
    { role: 'human', results: [{ callId: 'toolu_read' }] },
  ]);
});

it('shows the last to-do list as the plan', async () => {
  expect(stepsOf(await stateOf('a-10'))).toEqual([
    { name: 'Sort the list', status: 'in_progress', isCurrent: true },
    { name: 'Check the links', status: 'pending' },
  ]);
  expect(stepsOf(await stateOf('toolu_read'))).toEqual([]);
});

it('names questions that nobody has answered', async () => {
  const state = await stateOf('toolu_ask');
  expect(pendingOf(state)).toMatchObject([
    { id: 'toolu_ask', executor: 'AskUserQuestion', value: { questions: [{ question: 'By name or by date?' }] } },
  ]);
  expect(requestsOf(state)[0]?.text).toContain('"By name or by date?"');
  const answered = state.replace(
    /\]\}$/,
    ',{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_ask","content":"Date"}]}]}',
  );
  expect(pendingOf(answered)).toEqual([]);
});
