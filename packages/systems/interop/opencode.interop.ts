/** After each change opencode continues from exactly what was kept, and after undo its rows are as before. */
import {
  isChangeable,
  storeId,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Plan,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { allCheckpoints } from '@checkpoint-inspector/core/testing';
import { openSqlite } from '@checkpoint-inspector/io';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { opencodeSystem } from '../src/opencode/index.ts';
import { applyPlan, undoPlan } from '../src/test-executor.ts';
import { scriptedModel, type Answer, type ScriptedModel } from './model.ts';
import { install } from './original.ts';

/** The version that the fixture was written by. */
const VERSION = '1.18.33';
const TABLES = ['session', 'message', 'part', 'event', 'event_sequence', 'todo', 'project'];

const original = await install({ 'opencode-ai': VERSION });
let model: ScriptedModel;
let source: CheckpointSource;
let task: string;
let work: string;
let data: string;
let count = 0;

/** One project, and what opencode keeps of it: three turns, the second with calls of two tools. Each test has a copy. */
beforeAll(async () => {
  model = await scriptedModel();
  work = join(original.work, 'project');
  data = join(original.work, 'data');
  await mkdir(work);
  await writeFile(join(work, 'a.txt'), 'hello\n');
  await run('first question', undefined, { text: 'one' });
  source = await open();
  task = (await source.tasks()).items[0]?.id ?? '';
  await source.close?.();
  const read = { name: 'read', arguments: { filePath: join(work, 'a.txt') } };
  await run('second question', task, { calls: [read] }, { calls: [read] }, { text: 'two' });
  await run('third question', task, { text: 'three' });
});
beforeEach(async () => {
  data = join(original.work, `data-${++count}`);
  await cp(join(original.work, 'data'), data, { recursive: true });
  source = await open();
});
afterEach(() => source?.close?.());
afterAll(async () => {
  await model?.close();
  await original.remove();
});

it('O4: after a restore it sends the kept turns only, and deletes the others itself; undo gives every row back', async () => {
  const before = rows();
  const ref = await refOf('one');
  const plan = await planned({ kind: 'restore', ref });
  const { images } = await applyPlan(plan);
  await undoPlan(plan, images);
  expect(rows()).toBe(before);
  await applyPlan(await planned({ kind: 'restore', ref }));
  expect(await heard('another question')).toEqual(['first question', 'one', 'another question']);
  const metas = await allCheckpoints(source, task);
  expect(metas.slice(0, 3).map(({ description }) => description)).toEqual(['ok', 'another question', 'three']);
  expect(metas.filter(({ labels }) => labels.includes('deleted')).length).toBe(plan.view.evicts.count);
});

it('a restore to a call inside an answer sends that call with its result, and none after it', async () => {
  const calls = (await listed()).filter(({ description }) => description?.startsWith('read'));
  const [last, first] = calls;
  if (!first || !last) throw new Error('There are two calls.');
  await applyPlan(await planned({ kind: 'restore', ref: { task, id: first.id } }));
  expect(await heard('another question')).toEqual([
    'first question',
    'one',
    'second question',
    'read',
    'result',
    'another question',
  ]);
});

it('a restore to a prompt sends it together with the next one', async () => {
  await applyPlan(await planned({ kind: 'restore', ref: await refOf('third question') }));
  const words = await heard('another question');
  expect(words.slice(-3)).toEqual(['two', 'third question', 'another question']);
});

it('a restore is undone by opencode too: moving the marker behind everything brings all back', async () => {
  await applyPlan(await planned({ kind: 'restore', ref: await refOf('one') }));
  await applyPlan(await planned({ kind: 'restore', ref: await refOf('three') }));
  const words = await heard('another question');
  expect(words.slice(-3)).toEqual(['third question', 'three', 'another question']);
});

it('O1: it continues a fork under its own id, and the other session stays as it was', async () => {
  const before = rows();
  const untouched = rows(task);
  const plan = await planned({ kind: 'fork', ref: await refOf('two') });
  const { images } = await applyPlan(plan);
  await undoPlan(plan, images);
  expect(rows()).toBe(before);
  await applyPlan(plan);
  const fork = plan.view.targetTask ?? '';
  expect(await heard('forked question', fork)).toEqual([
    'first question',
    'one',
    'second question',
    'read',
    'result',
    'read',
    'result',
    'two',
    'forked question',
  ]);
  expect(rows(task)).toBe(untouched);
  const metas = await allCheckpoints(source, fork);
  expect(metas.slice(0, 3).map(({ description }) => description)).toEqual(['ok', 'forked question', 'two']);
  // It has moved on since: what it wrote isn't ours to remove.
  await expect(undoPlan(plan, images)).rejects.toMatchObject({ code: 'changed' });
});

it('a fork of what opencode has deleted, from its log, is continued', async () => {
  const deleted = await refOf('three');
  await applyPlan(await planned({ kind: 'restore', ref: await refOf('one') }));
  await heard('another question');
  const plan = await planned({ kind: 'fork', ref: deleted });
  await applyPlan(plan);
  const words = await heard('forked question', plan.view.targetTask);
  expect(words.slice(-3)).toEqual(['third question', 'three', 'forked question']);
});

it('an edited conversation is what it sends', async () => {
  const ref = await refOf('one');
  const text = (await source.state(ref))?.text.replace('"one"', '"edited"') ?? '';
  const plan = await planned({ kind: 'edit', ref, text });
  await applyPlan(plan);
  expect(await heard('another question', plan.view.targetTask)).toEqual([
    'first question',
    'edited',
    'another question',
  ]);
});

async function open(): Promise<CheckpointSource> {
  const path = join(data, 'opencode/opencode.db');
  const target = { kind: 'path', path, is: 'file' } as const;
  const [opened] = await opencodeSystem.open(target, { label: 'opencode', location: path, nameStore: storeId });
  if (!opened) throw new Error('Its sessions did not open.');
  return opened;
}

async function planned(request: SystemRequest): Promise<Plan> {
  if (!isChangeable(source)) throw new Error('It only reads.');
  return source.plan(request);
}

const listed = (): Promise<CheckpointMeta[]> => allCheckpoints(source, task);

/** The checkpoint of a message with these words. */
async function refOf(words: string): Promise<CheckpointRef> {
  const found = (await listed()).find(({ description }) => description === words);
  if (!found) throw new Error(`No message "${words}".`);
  return { task, id: found.id };
}

/** What the model is sent with the next prompt: texts, names of calls, and `result` for what they gave. */
async function heard(prompt: string, session = task): Promise<string[]> {
  const [request] = await run(prompt, session, { text: 'ok' });
  const messages = request?.body['messages'];
  return (Array.isArray(messages) ? messages : []).flatMap(wordsIn);
}

interface Sent {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
}

function wordsIn({ role, content, tool_calls = [] }: Sent): string[] {
  if (role === 'system') return [];
  if (role === 'tool') return ['result'];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap((part) => {
    if (typeof part === 'string') return [part];
    const has = typeof part === 'object' && part !== null && 'text' in part;
    return has && typeof part.text === 'string' ? [part.text] : [];
  });
  return [...texts.filter((text) => text !== ''), ...tool_calls.map((call) => call.function.name)];
}

/** The requests of one prompt that are about it, and not about a title. */
async function run(prompt: string, session: string | undefined, ...answers: Answer[]) {
  model.take();
  model.say(...answers);
  const options = { npm: '@ai-sdk/openai-compatible', name: 'mock' };
  const provider = {
    mock: {
      ...options,
      options: { baseURL: `${model.url}/v1`, apiKey: 'none' },
      models: { 'mock-1': { name: 'mock-1' } },
    },
  };
  const config = { provider, model: 'mock/mock-1', small_model: 'mock/mock-1', autoupdate: false, share: 'disabled' };
  const given = session === undefined ? ['--title', 'interop'] : ['--session', session];
  const { code, stdout, stderr } = await original.run(
    join(original.folder, 'node_modules/.bin/opencode'),
    ['run', ...given, '--model', 'mock/mock-1', ...prompt.split(' ')],
    {
      cwd: work,
      env: {
        XDG_DATA_HOME: data,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
      },
    },
  );
  if (code !== 0) throw new Error(`opencode ended with ${code}: ${stderr.slice(-1000)} ${stdout.slice(-500)}`);
  return model.take();
}

/** Every row, or those of one session, as text. */
function rows(session?: string): string {
  const database = openSqlite(join(data, 'opencode/opencode.db'), { readOnly: true });
  const of = (table: string): string => {
    const column = { session: 'id', message: 'session_id', part: 'session_id', event: 'aggregate_id' }[table];
    if (session !== undefined && column === undefined) return '';
    const where = session === undefined ? '' : `WHERE ${column} = ?`;
    const all = database.prepare(`SELECT rowid AS r, * FROM ${table} ${where} ORDER BY 1`);
    return JSON.stringify(session === undefined ? all.all() : all.all(session));
  };
  const text = TABLES.map(of).join('\n');
  database.close();
  return text;
}
