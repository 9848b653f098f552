import { expect, it } from 'vitest';
import { basename, join } from 'node:path';
import { readdir } from 'node:fs/promises';
import { storeIdFrom, type Target } from '@checkpoint-inspector/core';
import { createRegistry, foreignSystems } from '../registry.ts';
import { copyOfHome, openCodex } from './fixtures/open.ts';
import { messagesOf, pendingOf, requestsOf, stepsOf } from './view.ts';

const PATCHED = '01a2011b-486a-7142-8423-d5f66748587b';
const WAITING = '01a2011b-4b90-7731-ae32-7e255058c295';

async function latestText(task: string): Promise<string> {
  const source = await openCodex(await copyOfHome());
  const { ref } = await source.latest(task);
  return (ref && (await source.state(ref)))?.text ?? '';
}

it('shows what was said, with calls and their results, and the plan of the agent', async () => {
  const text = await latestText(PATCHED);
  const [channel] = messagesOf(text);
  const said = channel?.messages.filter(({ role }) => role === 'ai' || role === 'tool');
  expect(said?.map(({ toolCalls, text: words }) => toolCalls[0]?.name ?? words)).toEqual([
    'apply_patch',
    expect.stringContaining('unsupported custom tool call'),
    'update_plan',
    'unsupported call: update_plan',
    'patched',
  ]);
  expect(stepsOf(text).map(({ status }) => status)).toEqual(['done', 'running']);
  expect(pendingOf(text)).toEqual([]);
});

it('shows a call that a person has to agree to, until it is answered', async () => {
  const text = await latestText(WAITING);
  expect(requestsOf(text)).toMatchObject([{ id: 'call_0601_0', text: expect.stringContaining('rm -rf build') }]);
  expect([stepsOf(text), messagesOf('{"items":[]}'), stepsOf('{}'), pendingOf('[]')]).toEqual([[], [], [], []]);
});

it('opens a home, a folder inside and one rollout, each as the whole home', async () => {
  const root = await copyOfHome();
  const day = join(root, 'sessions/2026/11/22');
  const [file = ''] = await readdir(day);
  const registry = createRegistry(foreignSystems);
  for (const path of [root, join(root, 'sessions'), day, join(day, file), join(root, 'archived_sessions')]) {
    const options = { label: 'codex', location: path, nameStore: (name: string) => storeIdFrom(name) };
    const [source] = await registry.open(path, options);
    expect([path, source?.info.system, (await source?.tasks())?.of]).toEqual([path, 'codex', 15]);
    await source?.close?.();
  }
  const found = await registry.discover(root);
  expect(found.map(({ path, match }) => [basename(path), match.system])).toEqual([['home', 'codex']]);
  const other: Target = { kind: 'path', path: join(root, 'session_index.jsonl'), is: 'file' };
  expect((await registry.verdicts(other)).find(({ system }) => system === 'codex')?.matches).toBe(false);
});
