/** What Codex 0.169.0 itself answered about this home, in `facts.json`. */
import { messagesOf } from './view.ts';
import { describeSource } from '@checkpoint-inspector/core/testing';
import type { Task } from '@checkpoint-inspector/core';
import { appendFile, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRecord, recordOf, records, textOf } from '../folder/view.ts';
import type { LogSource } from '../log/index.ts';
import { copyOfHome, openCodex } from './fixtures/open.ts';
import { rolloutName } from './names.ts';

describeSource('codex', { open: async () => ({ source: await openCodex(await copyOfHome()) }) });

const facts = recordOf(JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/facts.json'), 'utf8')));
const DAY = 'sessions/2026/11/22';
const made = (name: string): string => textOf(recordOf(recordOf(facts['made'])[name])['thread']);
const isFork = (thread: string): boolean =>
  ['fork-by-exec', 'fork-at-turn-2', 'fork-of-fork'].some((name) => made(name) === thread);
const marksOf = async (source: LogSource, task: string) => {
  const { items } = await source.checkpoints(task, { limit: 1000 });
  return items.toReversed();
};
/** The turns that a thread shows: up from its latest, over forks and reverts. */
async function turnsOf(source: LogSource, task: string): Promise<{ id: string; status: string; error?: string }[]> {
  const turns = [];
  let at = (await source.latest(task)).ref;
  for (; at;) {
    const meta = await source.meta(at);
    if (!meta) throw new Error(`${at.id} isn't there.`);
    const error = (await source.beside(at))?.error;
    turns.unshift({ id: meta.id, status: meta.status, ...(error === undefined ? {} : { error }) });
    at = meta.parentId === undefined ? undefined : { task: meta.parentTaskId ?? meta.taskId, id: meta.parentId };
  }
  return turns;
}

it('lists every thread that Codex lists, archived ones too, by their given names', async () => {
  const source = await openCodex(await copyOfHome());
  const { items } = await source.tasks();
  const told = new Map(items.map((task) => [task.id, task] as const));
  for (const thread of records(facts['threads'])) {
    const task: Task | undefined = told.get(textOf(thread['id']));
    expect(task, textOf(thread['id'])).toBeDefined();
    expect(task?.kind === 'archived').toBe(thread['archived']);
    if (typeof thread['name'] === 'string') expect(task?.title).toBe(thread['name']);
    // Codex calls a fork by what was asked before it; here it has its own first question.
    else if (!isFork(textOf(thread['id']))) expect(task?.title).toBe(thread['preview']);
  }
  expect(items).toHaveLength(records(facts['threads']).length);
});

it('has every turn that Codex shows, with its status and error, over forks and reverts, in this order', async () => {
  const source = await openCodex(await copyOfHome());
  for (const thread of records(facts['threads'])) {
    const turns = records(thread['turns']);
    const ids = new Set(turns.map((turn) => turn['id']));
    const shown = (await turnsOf(source, textOf(thread['id']))).filter(({ id }) => ids.has(id));
    // A turn that was killed while a person was asked is shown at its call, which waits.
    const ended = turns.filter((turn) => shown.some(({ id }) => id === turn['id']) || turn['status'] !== 'interrupted');
    expect(shown).toEqual(
      ended.map(({ id, status, error }) => ({ id, status, ...(error === undefined ? {} : { error }) })),
    );
  }
});

it('keeps the turns that a revert dropped as a branch', async () => {
  const source = await openCodex(await copyOfHome());
  const task = made('reverted');
  const marks = await marksOf(source, task);
  const dropped = recordOf(recordOf(facts['made'])['reverted'])['turns'];
  expect(marks.map(({ id }) => id)).toEqual(expect.arrayContaining(Array.isArray(dropped) ? dropped : []));
  expect(marks).toHaveLength(6);
  expect(marks[4]).toMatchObject({
    description: 'Reverted',
    trigger: 'restore',
    lineage: 'recorded',
    parentId: marks[1]?.id,
  });
  expect((await source.latest(task)).ref?.id).toBe(marks[5]?.id);
});

it('gives the state of a fork with the lines of what it was forked from', async () => {
  const source = await openCodex(await copyOfHome());
  const task = made('fork-of-fork');
  const [fork] = await marksOf(source, task);
  expect(fork).toMatchObject({ parentTaskId: made('fork-at-turn-2'), lineage: 'recorded', trigger: 'fork' });
  const { ref } = await source.latest(task);
  const [channel] = messagesOf((await source.state(ref ?? { task, id: '' }))?.text ?? '');
  const said = channel?.messages.filter(({ role, text }) => role === 'human' && !text.startsWith('<'));
  expect(said?.map(({ text }) => text)).toEqual(['question 1', 'question 2', 'other question 3', 'deeper still']);
});

it('sends the summary of a compacted thread, and keeps what was before it', async () => {
  const source = await openCodex(await copyOfHome());
  const marks = await marksOf(source, made('compacted'));
  expect(marks.map(({ description }) => description)).toEqual([
    'c-question 1',
    'c-question 2',
    'Compacted history',
    'Turn',
    'c-question 3',
  ]);
  const textsAt = async (at: number) =>
    (await source.state({ task: made('compacted'), id: marks[at]?.id ?? '' }))?.text;
  expect(await textsAt(1)).toContain('c-answer 2');
  expect(await textsAt(4)).not.toContain('c-answer 2');
  expect(await textsAt(4)).toContain('SUMMARY: two questions were asked.');
});

it('shows a call that waits for a person as a question, and a failed turn with its error', async () => {
  const source = await openCodex(await copyOfHome());
  const waiting = made('waiting-approval-killed');
  const { items } = await source.tasks();
  expect(items.find(({ id }) => id === waiting)).toMatchObject({ status: 'interrupted', latestId: 'call_0601_0' });
  expect((await source.beside({ task: waiting, id: 'call_0601_0' }))?.requests).toMatchObject([
    {
      id: 'call_0601_0',
      from: 'exec_command',
      text: expect.stringMatching(/^Remove the build folder\?\n.*rm -rf build/s),
    },
  ]);
  expect(items.find(({ id }) => id === made('model-error'))).toMatchObject({
    status: 'failed',
    lastError: recordOf(recordOf(facts['made'])['model-error'])['error'],
  });
});

it('opens a compressed rollout: 105 commands and their turn', async () => {
  const source = await openCodex(await copyOfHome());
  const marks = await marksOf(source, made('long-run'));
  expect(marks).toHaveLength(106);
  expect(marks.at(-1)).toMatchObject({ status: 'completed', isLatest: true });
  expect(marks.filter(({ description }) => description?.startsWith('exec_command: '))).toHaveLength(105);
});

it('names a compressed rollout that is damaged, and reads the others', async () => {
  const root = await copyOfHome();
  const [name = ''] = (await readdir(join(root, DAY))).filter((one) => one.endsWith('.zst'));
  await writeFile(join(root, DAY, name), 'not compressed');
  const source = await openCodex(root);
  const [mark] = await marksOf(source, rolloutName(name)?.thread ?? '');
  expect(mark?.problem?.message).toContain('Zstandard');
  expect((await source.tasks()).items).toHaveLength(15);
});

it('says that a fork can not be read whose origin was deleted', async () => {
  const root = await copyOfHome();
  const parent = made('fork-at-turn-2');
  const [name = ''] = (await readdir(join(root, DAY))).filter((one) => one.includes(parent));
  await rm(join(root, DAY, name));
  const source = await openCodex(root);
  const marks = await marksOf(source, made('fork-of-fork'));
  expect(marks.map(({ problem }) => problem?.message)).toEqual(
    marks.map(() => `The log it is based on is missing: ${parent}.`),
  );
});

it('reads the older form, in which turns have neither ids nor ends', async () => {
  const root = await copyOfHome();
  const thread = '01a20000-0000-7000-8000-000000000001';
  const line = (type: string, payload: object) =>
    `${JSON.stringify({ timestamp: '2026-01-02T03:04:05.678Z', type, payload })}\n`;
  const item = (role: string, text: string) =>
    line('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] });
  const call = { type: 'function_call', name: 'shell', arguments: '{"command":["ls","-a"]}' };
  const turn = (text: string) => [
    item('developer', 'context'),
    item('user', text),
    line('event_msg', { type: 'user_message', message: text }),
    line('response_item', { ...call, call_id: `c-${text}` }),
    line('response_item', { type: 'function_call_output', call_id: `c-${text}`, output: 'x' }),
    item('assistant', `${text}!`),
    line('event_msg', { type: 'token_count', info: null }),
  ];
  const unanswered = turn('three').slice(0, 4);
  const text = [
    line('session_meta', { id: thread, cli_version: '0.96.0' }),
    ...turn('one'),
    ...turn('two'),
    ...unanswered,
  ];
  await writeFile(join(root, DAY, `rollout-2026-01-02T03-04-05-${thread}.jsonl`), text.join(''));
  const source = await openCodex(root);
  const marks = await marksOf(source, thread);
  expect(marks.map(({ description, status }) => [description, status])).toEqual([
    ['shell: ls -a', 'completed'],
    ['one', 'completed'],
    ['shell: ls -a', 'completed'],
    ['two', 'completed'],
    ['shell: ls -a', 'running'],
  ]);
  // What is asked next is not of the turn before.
  const state = await source.state({ task: thread, id: marks[1]?.id ?? '' });
  expect(state?.text).toContain('one!');
  expect(state?.text).not.toContain('two');
  expect(state?.text.match(/context/g)).toHaveLength(1);
  expect((await source.tasks({ text: 'one' })).items.map(({ id }) => id)).toContain(thread);
});

it('knows from the end of a long turn alone that it runs', async () => {
  const root = await copyOfHome();
  const [name = ''] = (await readdir(join(root, DAY))).filter((one) => one.includes(made('tools-3-turns')));
  const lines = (await readFile(join(root, DAY, name), 'utf8')).trim().split('\n');
  const ended = lines.findIndex((one) => one.includes('task_complete'));
  const [first = '', started = '', ...turn] = lines.slice(0, ended);
  // The call and its answer, again and again, until the start of the turn is far before the tail.
  await writeFile(
    join(root, DAY, name),
    [first, started, ...Array.from({ length: 20 }, () => turn).flat(), ''].join('\n'),
  );
  const source = await openCodex(root);
  const listed = async () => (await source.tasks()).items.find(({ id }) => id === made('tools-3-turns'));
  const before = await listed();
  expect(before).toMatchObject({ atLeast: true, status: 'running' });
  const { ref } = await source.latest(made('tools-3-turns'));
  expect([before?.latestId, (await listed())?.latestId]).toEqual([ref?.id, ref?.id]);
});

it('hides no line of a hostile session: damage is listed, in the list and in the state', async () => {
  const root = await copyOfHome();
  const name = (await readdir(join(root, DAY))).find((one) => one.includes(made('tools-3-turns'))) ?? '';
  const path = join(root, DAY, name);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const message = lines.findIndex((one) => one.includes('"role":"assistant"'));
  const broken = (lines[message] ?? '').replace('"content":[', '"content":[,');
  await writeFile(
    path,
    [...lines.slice(0, message), broken, '\u0000\u001b[31m', '[1,2]', ...lines.slice(message + 1)].join('\r\n'),
  );
  await appendFile(path, '{"timestamp":"2026');
  const source = await openCodex(root);
  const marks = await marksOf(source, made('tools-3-turns'));
  expect(marks.filter(({ problem }) => problem).map(({ problem }) => problem?.message)).toEqual(
    Array(2).fill("The line isn't a record of Codex."),
  );
  const latest = await source.latest(made('tools-3-turns'));
  expect(latest.note).toContain('18 bytes without an end');
  expect(latest.ref && (await source.state(latest.ref))?.text).toContain('{"type":"unreadable","at_byte":');
});

it('names the threads again that are only in a folder of a day', async () => {
  const root = await copyOfHome();
  const other = join(root, '..', 'other', 'deep');
  await mkdir(other, { recursive: true });
  const [name = ''] = await readdir(join(root, DAY));
  await copyFile(join(root, DAY, name), join(other, name));
  expect((await (await openCodex(other)).tasks()).items).toHaveLength(1);
});

it('adds up tokens and time as Codex counted them', async () => {
  const source = await openCodex(await copyOfHome());
  const marks = await marksOf(source, made('tools-3-turns'));
  expect(marks.reduce((sum, mark) => sum + (mark.tokenUsage ?? 0), 0)).toBe(827);
  expect(marks.at(-1)).toMatchObject({ durationMs: 135 });
  expect(isRecord(facts)).toBe(true);
});
