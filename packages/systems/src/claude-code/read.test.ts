import { storeId } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyOfHome, openTranscripts, SESSION, sessionOf } from './fixtures/open.ts';
import { claudeCodeSystem } from './index.ts';
import { WHY_NOT } from './rules.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';
type Source = Awaited<ReturnType<typeof openTranscripts>>;

const fixture = async (): Promise<Source> => openTranscripts(join(await copyOfHome(), 'projects'));
const edgesOf = async (source: Source, task: string) =>
  (await collect(source.lineage(task))).map(({ id, parent }) => [id, parent?.id]);
async function saidIn(source: Source, task: string, id: string): Promise<string[]> {
  const text = (await source.state({ task, id }))?.text ?? '';
  const state: { messages: { content: unknown }[] } = JSON.parse(text);
  const parts: unknown[] = state.messages.flatMap(({ content }) => content);
  return parts.map((part) => {
    if (typeof part !== 'object' || part === null) return String(part);
    return 'text' in part ? String(part.text) : 'type' in part ? String(part.type) : '';
  });
}

const user = (uuid: string, parentUuid: string | null, content: unknown) => ({
  parentUuid,
  sessionId: SESSION,
  type: 'user',
  message: { role: 'user', content },
  uuid,
  timestamp: '2026-03-01T10:00:00.000Z',
});

it('an answer is one checkpoint until it calls a tool, a call is one with its result, and edits are branches', async () => {
  const source = await fixture();
  expect(await edgesOf(source, A)).toEqual([
    ['a-1', undefined],
    ['a-2', 'a-1'],
    ['toolu_read', 'a-2'],
    ['toolu_todo', 'toolu_read'],
    ['toolu_agent', 'toolu_todo'],
    ['a-10', 'toolu_agent'],
    ['a-11', 'toolu_read'],
    ['toolu_ask', 'a-11'],
  ]);
  expect(await saidIn(source, A, 'toolu_read')).toEqual([
    'Tidy up notes.md',
    'thinking',
    'I will read the file first.',
    'tool_use',
    'tool_result',
  ]);
  expect((await saidIn(source, A, 'toolu_ask')).slice(4)).toEqual([
    'tool_result',
    'Sort it the other way round instead',
    'tool_use',
  ]);
  const tokens = (await source.checkpoints(A)).items.toReversed().map(({ tokenUsage }) => tokenUsage);
  expect(tokens).toEqual([undefined, 112, 8, 175, 170, 185, undefined, 143]);
});

it('a list has titles, statuses and what belongs together', async () => {
  const tasks = (await (await fixture()).tasks()).items;
  expect(tasks.map(({ id, title, status, agentId }) => [id.slice(0, 4), title, status, agentId])).toEqual([
    ['3333', 'What was before is missing', 'interrupted', undefined],
    ['2222', 'Long work on the parser', 'failed', undefined],
    ['1111', 'Sub-agent: Explore: Check the links', 'completed', 'Explore'],
    ['1111', 'Tidy up the notes', 'interrupted', undefined],
  ]);
  expect(tasks[1]?.lastError).toBe('API Error: 529 Overloaded');
});

it('a sub-agent follows the call that began it', async () => {
  const source = await fixture();
  const task = `${A}/agent-a1b2c3d`;
  const [first] = await collect(source.lineage(task));
  expect(first).toMatchObject({ id: 's-1', kind: 'recorded', parent: { task: A, id: 'toolu_agent' } });
  expect(await source.meta({ task: A, id: 'toolu_agent' })).toBeDefined();
  expect(await saidIn(source, task, 's-4')).toEqual([
    'Check every link in notes.md.',
    'tool_use',
    'tool_result',
    'All links work.',
  ]);
});

it('a compaction follows what it replaced, and its state is what goes on', async () => {
  const source = await fixture();
  expect((await edgesOf(source, B)).find(([id]) => id === 'b-6')).toEqual(['b-6', 'b-5']);
  expect((await saidIn(source, B, 'b-9')).at(0)).toMatch(/^This session is being continued/);
  expect(await saidIn(source, B, 'b-5')).toEqual([
    'Write the parser',
    'tool_use',
    'tool_result',
    'Here is a first parser.',
  ]);
});

it('a side chain inside a file is a branch of its own, and never the latest', async () => {
  const { source } = await sessionOf([
    user('u1', null, 'one'),
    { ...user('s1', null, 'side'), isSidechain: true, agentId: 'x' },
    { ...user('s2', 's1', 'more'), isSidechain: true, agentId: 'x' },
  ]);
  expect(await edgesOf(source, SESSION)).toEqual([
    ['s1', undefined],
    ['s2', 's1'],
    ['u1', undefined],
  ]);
  expect((await source.latest(SESSION)).ref?.id).toBe('u1');
  expect(await saidIn(source, SESSION, 's2')).toEqual(['side', 'more']);
  expect(await saidIn(source, SESSION, 'u1')).toEqual(['one']);
});

it('known damage is named and hides nothing', async () => {
  const source = await fixture();
  const { note } = await source.latest(C);
  for (const issue of ['62851', '24304', '40027']) expect(note).toContain(issue);
  expect(note).toMatch(/3 messages name a parent.*1 compactions.*cut off: 48 bytes/);
  expect((await source.tasks()).items.find(({ id }) => id === C)?.latestNote).toBe(note);
  expect(await saidIn(source, C, 'c-6')).toEqual(['It follows a later one', 'In a circle.']);
  expect(await saidIn(source, C, 'c-4')).toEqual(['It follows itself']);
  expect((await source.checkpoints(C)).items.filter(({ problem }) => problem)).toHaveLength(1);
});

it('no line of a hostile session is hidden, and none of them stops the reading', async () => {
  const long = 'y'.repeat(10 * 1024 * 1024);
  const { source, path } = await sessionOf([
    user('u1', null, '\u001b[31mred\u0000 <img src=x onerror=alert(1)>\r\n second'),
    user('__proto__', 'u1', long),
    {
      ...user('u2', '__proto__', [null, 7, { type: 'tool_result' }]),
      message: { role: 'user', content: [null, 7, { type: 'tool_result' }] },
    },
    {
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'u2',
      message: { content: { type: 'text', text: 5 }, usage: { input_tokens: 'many' } },
    },
    '[1]',
    user('u1', 'a1', 'the same id again'),
  ]);
  await appendFile(path, '{"torn');
  const metas = (await source.checkpoints(SESSION)).items.toReversed();
  expect(metas.map(({ id }) => id)).toEqual(['u1', '__proto__', 'u2', 'a1', 'u1#2']);
  expect(metas[0]?.description).toBe('[31mred <img src=x onerror=alert(1)> second');
  expect((await saidIn(source, SESSION, 'u1#2')).at(-1)).toBe('the same id again');
  expect((await source.state({ task: SESSION, id: '__proto__' }))?.text.length).toBeGreaterThan(long.length);
});

it('a call of which several results failed says so once', async () => {
  const failed = [{ type: 'tool_result', tool_use_id: 'call', is_error: true }];
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'call', name: 'Bash', input: {} }] };
  const { source } = await sessionOf([
    { ...user('a1', null, ''), type: 'assistant', message: call },
    user('r1', 'a1', failed),
    user('r2', 'r1', failed),
  ]);
  expect((await source.checkpoints(SESSION)).items.map(({ description }) => description)).toEqual(['Bash (error)']);
});

it('a long chain is read, and its list tells from the end what reading all of it tells', async () => {
  const { source, path } = await sessionOf(
    Array.from({ length: 20_000 }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`, `prompt ${at}`)),
  );
  expect((await stat(path)).size).toBeGreaterThan(1_000_000);
  expect((await source.tasks()).items[0]).toMatchObject({ latestId: 'u19999', title: 'prompt 0', atLeast: true });
  expect((await saidIn(source, SESSION, 'u19999')).length).toBe(20_000);
  expect((await source.tasks()).items[0]).toMatchObject({ latestId: 'u19999', checkpointCount: 20_000 });
});

it('states read backwards are those that are read forwards', async () => {
  const source = await fixture();
  for (const task of [A, B]) {
    const ids = (await collect(source.lineage(task))).map(({ id }) => id);
    const read = async (order: readonly string[]): Promise<string[]> => {
      const own = await openTranscripts(String(source.info.location));
      const texts = new Map<string, string | undefined>();
      for (const id of order) texts.set(id, (await own.state({ task, id }))?.text);
      return ids.map((id) => texts.get(id) ?? '');
    };
    expect(await read(ids.toReversed())).toEqual(await read(ids));
  }
});

it.each(['', 'projects', 'projects/-home-dev1-work-notes'])('is found by .claude/%s', async (inside) => {
  const path = join(await copyOfHome(), inside);
  const target = { kind: 'path', path, is: 'folder' } as const;
  expect(await claudeCodeSystem.detect(target)).toMatchObject({ system: 'claude-code' });
  const [source] = await claudeCodeSystem.open(target, { label: 'all', location: path, nameStore: storeId });
  expect((await source?.tasks())?.items).toHaveLength(4);
  expect(source?.info.capabilities).toEqual({ restore: WHY_NOT, fork: WHY_NOT, edit: WHY_NOT, delete: WHY_NOT });
});

it('one transcript opens alone, and other logs are not taken for one', async () => {
  const path = join(await copyOfHome(), 'projects/-home-dev1-work-notes', `${B}.jsonl`);
  const [source] = await claudeCodeSystem.open(
    { kind: 'path', path, is: 'file' },
    { label: 'one', location: path, nameStore: storeId },
  );
  expect((await source?.tasks())?.items.map(({ id }) => id)).toEqual([B]);
  const { path: other } = await sessionOf([{ sessionId: 's', projectHash: 'p' }]);
  expect(await claudeCodeSystem.detect({ kind: 'path', path: other, is: 'file' })).toBeUndefined();
});

it.each([70_000, 6_000_000])('a first prompt of %i bytes: found, and titled by what was asked', async (bytes) => {
  const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(bytes) } };
  const content = [image, { type: 'text', text: 'What is on this screen?' }];
  const first = { type: 'user', message: { role: 'user', content }, uuid: 'u1', parentUuid: null, sessionId: SESSION };
  const notes = Array.from({ length: 900 }, () => ({ type: 'file-history-snapshot', pad: 'x'.repeat(100) }));
  const { root, path, source } = await sessionOf([...notes, first]);
  for (const target of [
    { kind: 'path', path: root, is: 'folder' } as const,
    { kind: 'path', path, is: 'file' } as const,
  ])
    expect(await claudeCodeSystem.detect(target)).toMatchObject({ system: 'claude-code' });
  expect((await source.tasks()).items[0]?.title).toBe('What is on this screen?');
});
