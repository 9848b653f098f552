import { isChangeable, type Plan, type SystemRequest } from '@checkpoint-inspector/core';
import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { chatsOf, openChats } from './fixtures/open.ts';
import { answer, called, header, prompt, set } from './fixtures/records.ts';

const FILE = 'session-2026-11-22T03-05-s1.jsonl';
const task = 's1';
const at = (id: string) => ({ task, id });
const TURNS = [header(), prompt('u1', 'one'), answer('g1', 'first'), prompt('u2', 'two'), answer('g2', 'second')];

async function opened(lines: readonly (object | string)[] = TURNS, files: Record<string, readonly object[]> = {}) {
  const chats = await chatsOf({ [FILE]: lines, ...files });
  const source = await openChats(chats);
  const plan = async (request: SystemRequest): Promise<Plan> => {
    if (!isChangeable(source)) throw new Error('It only reads.');
    return source.plan(request);
  };
  const idsIn = async (id: string, of = task): Promise<string[]> =>
    JSON.parse((await source.state({ task: of, id }))?.text ?? '').messages.map((one: { id: string }) => one.id);
  return { chats, path: join(chats, FILE), source, plan, idsIn, ...executor() };
}

it('a restore is one rewind behind the records; undo gives the file back byte for byte', async () => {
  const { path, plan, apply, undo, source, idsIn } = await opened();
  const before = await readFile(path, 'utf8');
  const restore = await plan({ kind: 'restore', ref: at('g1') });
  expect(restore.view).toMatchObject({ latestAfter: at('u2#rewind'), warnings: [], next: 'gemini --resume s1' });
  await apply(restore);
  expect(await readFile(path, 'utf8')).toBe(`${before}{"$rewindTo":"u2"}\n`);
  expect((await source.latest(task)).ref).toEqual(at('u2#rewind'));
  expect(await idsIn('u2#rewind')).toEqual(['u1', 'g1']);
  await undo();
  expect(await readFile(path, 'utf8')).toBe(before);
});

it('quotes the session in the command that resumes it', async () => {
  const hostile = 's1; $(touch x)';
  const { plan } = await opened([{ ...header(), sessionId: hostile }, ...TURNS.slice(1)]);
  const { view } = await plan({ kind: 'restore', ref: { task: hostile, id: 'g1' } });
  expect(view.next).toBe("gemini --resume 's1; $(touch x)'");
});

it('what a rewind cannot say is said by all messages: a branch that was dropped, calls that a resume has lost', async () => {
  const call = called('g2', 'look', [['c1', 'ls', 'success']]);
  const { path, plan, apply, idsIn, source } = await opened([
    ...TURNS.slice(0, 4),
    call,
    { $rewindTo: 'u2' },
    prompt('u3', 'other'),
  ]);
  const restore = await plan({ kind: 'restore', ref: at('c1') });
  await apply(restore);
  const last = (await readFile(path, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toEqual({
    $set: { messages: [...TURNS.slice(1, 4), call], lastUpdated: '2033-06-01T12:00:00.000Z' },
  });
  expect(await idsIn('2033-06-01T12:00:00.000Z#snapshot')).toEqual(['u1', 'g1', 'u2', 'g2']);
  expect(await source.meta(at('2033-06-01T12:00:00.000Z#snapshot'))).toMatchObject({ parentId: 'c1', isLatest: true });
});

it('a restore behind a torn line begins a line of its own', async () => {
  const { path, plan, apply, idsIn, source } = await opened();
  await appendFile(path, '{"id":"torn');
  await apply(await plan({ kind: 'restore', ref: at('u1') }));
  expect((await readFile(path, 'utf8')).split('\n').slice(-3)).toEqual(['{"id":"torn', '{"$rewindTo":"g1"}', '']);
  expect((await source.latest(task)).ref).toEqual(at('g1#rewind'));
  expect(await idsIn('g1#rewind')).toEqual(['u1']);
});

it('nothing is appended to a session that was written to since the plan, and an undo refuses then too', async () => {
  const { path, plan, apply, undo } = await opened();
  const stale = await plan({ kind: 'restore', ref: at('g1') });
  await appendFile(path, `${JSON.stringify(prompt('u3', 'three'))}\n`);
  await expect(apply(stale)).rejects.toMatchObject({ code: 'changed' });
  await apply(await plan({ kind: 'restore', ref: at('g1') }));
  await appendFile(path, `${JSON.stringify(prompt('u4', 'four'))}\n`);
  const after = await readFile(path, 'utf8');
  await expect(undo()).rejects.toMatchObject({ code: 'changed' });
  expect(await readFile(path, 'utf8')).toBe(after);
});

it('a fork is a new file with the lines before, under its own id; the other file stays as it is', async () => {
  const resumed = { ...header(), startTime: '2026-01-02T00:00:00.000Z' };
  const lines = [...TURNS.slice(0, 3), resumed, set({ sessionId: 's1' }), 'damaged', ...TURNS.slice(3)];
  const { chats, path, plan, apply, undo, source, idsIn } = await opened(lines);
  const before = await readFile(path, 'utf8');
  const targetTask = '11111111-2222-4333-8444-555555555555';
  const fork = await plan({ kind: 'fork', ref: at('u2'), targetTask });
  expect(fork.view).toMatchObject({ targetTask, latestAfter: { task: targetTask, id: 'u2' } });
  await apply(fork);
  const name = 'session-2033-06-01T12-00-11111111.jsonl';
  expect((await readdir(chats)).toSorted()).toEqual([FILE, name]);
  const wanted = before.replaceAll('"sessionId":"s1"', `"sessionId":"${targetTask}"`).split('\n').slice(0, 7);
  expect(await readFile(join(chats, name), 'utf8')).toBe(`${wanted.join('\n')}\n`);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(await idsIn('u2', targetTask)).toEqual(['u1', 'g1', 'u2']);
  expect((await source.tasks()).items.map(({ id }) => id).toSorted()).toEqual([targetTask, 's1']);
  await undo();
  expect(await readdir(chats)).toEqual([FILE]);
});

it.each(['../../etc', 's1', 'a b c d e f', ''])('a fork into "%s" is refused', async (targetTask) => {
  const { plan } = await opened();
  await expect(plan({ kind: 'fork', ref: at('u1'), targetTask })).rejects.toMatchObject({ code: 'invalid_input' });
});

it('an edit is one record with the edited messages, numbers as they are written', async () => {
  const { plan, apply, source } = await opened();
  const text = (await source.state(at('g2')))?.text ?? '';
  const edited = text.replace('"second"', '"edited"').replace('"total":10', '"total": 1.0');
  const edit = await plan({
    kind: 'edit',
    ref: at('g2'),
    text: edited.replace(',"messages"', ',\n "summary": "mine",\n "messages"'),
  });
  await apply(edit);
  const state = await source.state(edit.view.latestAfter ?? at(''));
  expect(state?.text).toContain('"content":"edited"');
  expect(state?.text).toContain('"total": 1.0');
  expect(state?.text).toContain('"summary":"mine"');
  expect(await source.meta(edit.view.latestAfter ?? at(''))).toMatchObject({ parentId: 'g2', isLatest: true });
});

it.each([
  [(text: string) => text.replace('"s1"', '"s2"'), /sessionId/],
  [(text: string) => text.replace('"u1"', '"g1"'), /Two messages/],
  [(text: string) => text.replace('"id":"u1"', '"id":1'), /needs an id/],
  [(text: string) => text.replace('{', '{"mine":1,'), /doesn't load "mine"/],
  [(text: string) => text.replace('"startTime":"2026-01-01T00:00:00.000Z",', ''), /can't remove "startTime"/],
  [() => '{"messages":{}}', /sessionId|list/],
  [(text: string) => text.replace('"total":10', '"total":NaN'), /NaN, which Gemini CLI cannot read/],
])('an edit that Gemini CLI would not load as it is written is refused: %#', async (change, words) => {
  const { plan, source } = await opened();
  const text = change((await source.state(at('g2')))?.text ?? '');
  await expect(plan({ kind: 'edit', ref: at('g2'), text })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(words),
  });
});

it('the session of a sub-agent is shown and not changed, and nothing is deleted out of a log', async () => {
  const { source, plan, chats } = await opened();
  const sub = { ...header(), sessionId: 'sub-1', kind: 'subagent' };
  await mkdir(join(chats, 's1'));
  await writeFile(join(chats, 's1/sub-1.jsonl'), `${JSON.stringify(sub)}\n${JSON.stringify(prompt('u1', 'look'))}\n`);
  const ref = { task: 'sub-1', id: 'u1' };
  expect(await source.capability?.(ref)).toMatchObject({ restore: expect.stringMatching(/sub-agent/) });
  for (const kind of ['restore', 'fork'] as const)
    await expect(plan({ kind, ref })).rejects.toMatchObject({ code: 'unsupported' });
  expect(await source.capability?.(at('g1'))).toEqual({});
  await expect(plan({ kind: 'delete', refs: [at('g1')] })).rejects.toMatchObject({ code: 'unsupported' });
  expect(source.info.capabilities.delete).toMatch(/lines before/);
});
