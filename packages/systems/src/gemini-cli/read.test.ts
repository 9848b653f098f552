import { storeId } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyOf, chatsOf, openChats } from './fixtures/open.ts';
import { answer, called, header, prompt, set } from './fixtures/records.ts';
import { geminiCliSystem } from './index.ts';

const FILE = 'session-2026-11-22T03-05-s1.jsonl';
const task = 's1';

async function opened(lines: readonly (object | string)[]) {
  const chats = await chatsOf({ [FILE]: lines });
  return { chats, path: join(chats, FILE), source: await openChats(chats) };
}

const rowsOf = async (source: Awaited<ReturnType<typeof openChats>>, of = task) =>
  (await collect(source.lineage(of))).map(({ id, parent, status, description }) => [
    id,
    parent?.id,
    status,
    description,
  ]);
const idsIn = async (source: Awaited<ReturnType<typeof openChats>>, id: string): Promise<string[]> => {
  const state: { messages: { id: string }[] } = JSON.parse((await source.state({ task, id }))?.text ?? '');
  return state.messages.map((message) => message.id);
};

it('the state of the last record is what the facts say that Gemini CLI loads', async () => {
  const root = await copyOf('five-turns');
  const facts = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/five-turns/facts.json'), 'utf8'));
  const source = await openChats(root);
  for (const [id, wanted] of Object.entries<Record<string, unknown>>(facts.sessions)) {
    const { ref } = await source.latest(id);
    const state = JSON.parse((ref && (await source.state(ref))?.text) ?? '');
    const last = state.messages.at(-1);
    expect([state.sessionId, state.startTime, state.lastUpdated]).toEqual([
      id,
      wanted['startTime'],
      wanted['lastUpdated'],
    ]);
    expect(state.messages).toHaveLength(Number(wanted['messages']));
    expect(last.content).toBe(wanted['lastText']);
  }
  const tasks = (await source.tasks()).items.map(({ id, title, status }) => [id.slice(0, 8), title, status]);
  expect(tasks).toEqual([
    ['dc85c031', 'question 6', 'completed'],
    ['69b7c1ad', 'question 1', 'completed'],
  ]);
});

it('a prompt, an answer and the calls of tools are checkpoints; what is noted besides belongs to the one before', async () => {
  const { source } = await opened([
    header(),
    set({ lastUpdated: '2026-01-01T00:00:00.000Z' }),
    prompt('u1', 'list the files'),
    { id: 'g1', timestamp: '2026-01-01T00:00:02.000Z', type: 'gemini', content: 'Let me look.' },
    called('g1', 'Let me look.', [['call-1', 'list_directory', 'success']]),
    set({
      messages: [
        prompt('u1', 'list the files'),
        called('g1', '', [['call-1', 'list_directory', 'success']]),
        {
          id: 'r1',
          type: 'user',
          content: [{ functionResponse: { id: 'call-1', name: 'list_directory', response: { output: 'a.txt' } } }],
        },
      ],
    }),
    answer('g2', 'There is one.', 42),
    answer('g3', ''),
    called('g3', '', [['call-2', 'read_file', 'error']]),
    { id: 'e1', timestamp: '2026-01-01T00:00:09.000Z', type: 'error', content: 'quota exceeded' },
  ]);
  expect(await rowsOf(source)).toEqual([
    ['2026-01-01T00:00:00.000Z#start', undefined, 'completed', 'Session started'],
    ['u1', '2026-01-01T00:00:00.000Z#start', 'completed', 'list the files'],
    ['g1', 'u1', 'completed', 'Let me look.'],
    ['call-1', 'g1', 'completed', 'list_directory'],
    ['g2', 'call-1', 'completed', 'There is one.'],
    ['g3', 'g2', 'completed', 'read_file (error)'],
    ['e1', 'g3', 'failed', 'quota exceeded'],
  ]);
  const tokens = (await source.checkpoints(task)).items.map(({ tokenUsage }) => tokenUsage);
  expect(tokens).toEqual([undefined, 10, 42, 10, undefined, undefined, undefined]);
  expect(await idsIn(source, 'call-1')).toEqual(['u1', 'g1', 'r1']);
  expect(await source.meta({ task, id: 'g2' })).toMatchObject({ tokenUsage: 42, agentId: 'gemini-2.5-flash' });
  expect(await source.beside({ task, id: 'e1' })).toMatchObject({ error: 'quota exceeded' });
  expect((await source.tasks()).items[0]).toMatchObject({
    status: 'failed',
    lastError: 'quota exceeded',
    latestId: 'e1',
  });
});

it('a rewind is a fork: what it drops stays, and the next turn follows the rewind', async () => {
  const { source } = await opened([
    header(),
    prompt('u1', 'one'),
    answer('g1', 'first'),
    prompt('u2', 'two'),
    answer('g2', 'second'),
    { $rewindTo: 'u2' },
    prompt('u3', 'other'),
    { $rewindTo: 'u3' },
    { $rewindTo: 'u1' },
  ]);
  const rows = (await rowsOf(source)).slice(3).map(([id, parent]) => [id, parent]);
  expect(rows).toEqual([
    ['u2', 'g1'],
    ['g2', 'u2'],
    ['u2#rewind', 'g1'],
    ['u3', 'u2#rewind'],
    ['u3#rewind', 'u2#rewind'],
    ['u1#rewind', '2026-01-01T00:00:00.000Z#start'],
  ]);
  expect([await idsIn(source, 'g2'), await idsIn(source, 'u3'), await idsIn(source, 'u1#rewind')]).toEqual([
    ['u1', 'g1', 'u2', 'g2'],
    ['u1', 'g1', 'u3'],
    [],
  ]);
  expect(await source.find('u2#rewind')).toEqual([{ task, id: 'u2#rewind' }]);
});

it('a rewind to an unknown message clears the conversation, and is named so', async () => {
  const { source } = await opened([header(), prompt('u1', 'one'), { $rewindTo: 'nowhere' }]);
  expect((await rowsOf(source)).at(-1)).toEqual([
    'nowhere#rewind',
    '2026-01-01T00:00:00.000Z#start',
    'completed',
    "Cleared: the message to rewind to doesn't exist",
  ]);
  expect(await idsIn(source, 'nowhere#rewind')).toEqual([]);
});

it('a list that replaces the messages follows the checkpoint that its last message was in', async () => {
  const [u1, g1] = [prompt('u1', 'one'), answer('g1', 'first')];
  const { source } = await opened([
    header(),
    u1,
    g1,
    prompt('u2', 'two'),
    set({ messages: [u1, g1], lastUpdated: '2026-01-01T00:01:00.000Z' }),
    { ...header(), startTime: '2026-01-02T00:00:00.000Z' },
    set({ messages: [u1] }),
    set({ messages: [u1, g1] }),
    prompt('u3', 'three'),
  ]);
  const rows = (await rowsOf(source)).slice(3).map(([id, parent]) => [id, parent]);
  expect(rows).toEqual([
    ['u2', 'g1'],
    ['2026-01-01T00:01:00.000Z#snapshot', 'g1'],
    ['2026-01-02T00:00:00.000Z#resume', '2026-01-01T00:01:00.000Z#snapshot'],
    ['u3', '2026-01-02T00:00:00.000Z#resume'],
  ]);
  expect(await idsIn(source, '2026-01-02T00:00:00.000Z#resume')).toEqual(['u1', 'g1']);
});

it('the older form, one document a session, opens as the log that Gemini CLI makes of it', async () => {
  const messages = [prompt('u1', 'one'), answer('g1', 'first')];
  const chats = await chatsOf({});
  await writeFile(
    join(chats, 'session-2025-08-01T10-00-s1.json'),
    JSON.stringify({ ...header(), messages }, undefined, 2),
  );
  const source = await openChats(chats);
  expect((await rowsOf(source)).map(([id]) => id)).toEqual(['2026-01-01T00:00:00.000Z#start', 'u1', 'g1']);
  expect(await idsIn(source, 'g1')).toEqual(['u1', 'g1']);
  expect(Object.keys((await source.capability?.({ task, id: 'u1' })) ?? {})).toEqual(['restore', 'edit']);
  await expect(source.plan({ kind: 'restore', ref: { task, id: 'u1' } })).rejects.toMatchObject({
    code: 'unsupported',
  });
});

it('the list of tasks tells from the end of a long log what reading all of it tells', async () => {
  const turns = Array.from({ length: 2_000 }, (_, at) => [
    prompt(`u${at}`, `question ${at}`),
    answer(`g${at}`, 'x'.repeat(50)),
  ]);
  const { source, path } = await opened([header(), ...turns.flat(), { $rewindTo: 'u1999' }]);
  expect((await stat(path)).size).toBeGreaterThan(200_000);
  const before = (await source.tasks()).items[0];
  expect(before).toMatchObject({ latestId: 'u1999#rewind', status: 'completed', title: 'question 0', atLeast: true });
  expect((await source.latest(task)).ref?.id).toBe('u1999#rewind');
  const { latestId, status, checkpointCount } = (await source.tasks()).items[0] ?? {};
  expect([latestId, status, checkpointCount]).toEqual(['u1999#rewind', 'completed', 4_002]);
});

it('no line of a hostile session is hidden, and none of them stops the reading', async () => {
  const long = 'y'.repeat(10 * 1024 * 1024);
  const { source, path } = await opened([
    header(),
    'not json',
    prompt('u1', '\u001b[31mred\u0000 <img src=x onerror=alert(1)>\r\n second'),
    '{"id":"g1","type":"gemini","content":"\ud800","tokens":{"total":"many"},"toolCalls":[null,7,{"id":5}]}',
    answer('__proto__', long),
    '[]',
    '{"$set":{"messages":[1,{"id":2},{"id":"k"},{"id":"k","n":1.0}]}}',
  ]);
  await appendFile(path, '{"id":"torn","type":"user","content":"never');
  const metas = (await source.checkpoints(task)).items.toReversed();
  expect(metas.map(({ id, problem }) => [id.replace(/^\d{4}.*Z/, ''), problem?.code])).toEqual([
    ['#start', undefined],
    [expect.stringMatching(/^byte-\d+$/), 'unreadable'],
    ['u1', undefined],
    ['g1', undefined],
    ['__proto__', undefined],
    [expect.stringMatching(/#snapshot$/), undefined],
  ]);
  expect(metas[2]?.description).toBe('[31mred <img src=x onerror=alert(1)> second');
  expect((await source.state({ task, id: '__proto__' }))?.text).toContain(long);
  expect((await source.state({ task, id: metas.at(-1)?.id ?? '' }))?.text).toMatch(
    /"messages":\[\{"id":"k","n":1\.0\}\]\}$/,
  );
  expect((await source.latest(task)).note).toMatch(/cut off: 43 bytes/);
});

it.each(['', 'tmp', 'tmp/gem-f', 'tmp/gem-f/chats'])('is found by .gemini/%s', async (inside) => {
  const path = join(await copyOf('five-turns'), inside);
  expect(await geminiCliSystem.detect({ kind: 'path', path, is: 'folder' })).toMatchObject({ system: 'gemini-cli' });
  expect((await (await openChats(path)).tasks()).items).toHaveLength(2);
});

it('one file opens alone, and folders of other things are not taken for it', async () => {
  const root = await copyOf('five-turns');
  const path = join(root, 'tmp/gem-f/chats/session-2026-11-22T03-05-dc85c031.jsonl');
  const target = { kind: 'path', path, is: 'file' } as const;
  const names = { label: 'one', location: path, nameStore: storeId };
  const [source] = await geminiCliSystem.open(target, names);
  expect((await source?.tasks())?.items.map(({ title }) => title)).toEqual(['question 6']);
  expect(source?.info.capabilities.fork).toMatch(/folder/);
  expect(await geminiCliSystem.detect({ kind: 'path', path: import.meta.dirname, is: 'folder' })).toBeUndefined();
});

it('the file that a resume in another minute leaves is named, not listed: Gemini CLI deletes both', async () => {
  const context = prompt('c1', '<session_context>\nToday is…');
  const started = { ...header(), startTime: '2026-01-02T00:00:00.000Z' };
  const { chats, source } = await opened([header(), prompt('u1', 'one'), answer('g1', 'first')]);
  expect(await source.latest(task)).toMatchObject({ ref: { task, id: 'g1' } });
  const left = join(chats, 'session-2026-11-23T00-00-s1.jsonl');
  await writeFile(left, `${JSON.stringify(started)}\n${JSON.stringify(set({ messages: [context] }))}\n`);
  const again = await openChats(chats);
  for (const one of [source, again]) {
    const named = expect.stringContaining('"session-2026-11-23T00-00-s1.jsonl", an empty file with the same id');
    expect((await one.tasks()).items).toMatchObject([{ latestId: 'g1', checkpointCount: 3, latestNote: named }]);
    expect(await one.latest(task)).toMatchObject({ ref: { task, id: 'g1' }, note: named });
    expect((await rowsOf(one)).map(([id]) => id)).toEqual(['2026-01-01T00:00:00.000Z#start', 'u1', 'g1']);
  }
  const { view } = await source.plan({ kind: 'fork', ref: { task, id: 'g1' } });
  expect(view.warnings).toEqual([{ code: 'session_note', message: (await source.latest(task)).note }]);
  // A damaged line could be anything: then it stays a file of the session.
  await appendFile(left, '{"id": "u2", "type": \n');
  expect((await again.tasks()).items).toMatchObject([{ checkpointCount: 5, unreadable: 1 }]);
  await rm(left);
  expect((await again.latest(task)).note).toBeUndefined();
  // Alone it is a session that has just been started.
  await writeFile(join(chats, FILE), `${JSON.stringify(started)}\n${JSON.stringify(set({ messages: [context] }))}\n`);
  expect((await (await openChats(chats)).tasks()).items).toMatchObject([{ id: task, checkpointCount: 1 }]);
});

it('damaged files before a good one do not hide it', async () => {
  const lost = Array.from(
    { length: 30 },
    (_, n) => [`session-2026-01-01T00-00-${n + 10}.jsonl`, n % 2 ? ['{"sess'] : []] as const,
  );
  const chats = await chatsOf({ ...Object.fromEntries(lost), 'session-2026-02-02T00-00-99.jsonl': [header()] });
  for (const path of [chats, join(chats, 'session-2026-02-02T00-00-99.jsonl')]) {
    const is = path === chats ? 'folder' : 'file';
    expect(await geminiCliSystem.detect({ kind: 'path', path, is })).toMatchObject({ system: 'gemini-cli' });
  }
});

it("names Gemini CLI's own checkpoints, which are not read", async () => {
  const root = await copyOf('five-turns');
  await writeFile(join(root, 'tmp/gem-f/checkpoint-before.json'), '[]');
  const [source] = await geminiCliSystem.open(
    { kind: 'path', path: root, is: 'folder' },
    { label: 'all', location: root, nameStore: storeId },
  );
  expect(source?.info.notes?.join(' ')).toContain('checkpoint-before.json');
});
