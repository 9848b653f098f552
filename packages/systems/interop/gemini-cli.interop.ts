/** After each change the original continues from exactly what was kept, and after undo its files are as before. */
import {
  isChangeable,
  storeId,
  type CheckpointSource,
  type Plan,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { geminiCliSystem } from '../src/gemini-cli/index.ts';
import { applyPlan, undoPlan } from '../src/test-executor.ts';
import { scriptedModel, type Answer, type ScriptedModel } from './model.ts';
import { install } from './original.ts';

const VERSION = '0.61.0';
/**
 * A resume in the minute in which the session began writes a header into its file; in another one it leaves a second file
 * with the session's id and nothing in it. The cleanup at the next start takes that for damage and deletes both, so it is
 * off: else sessions would be gone wherever a minute happens to end between two runs.
 */
const settings = (cleanup = false) => ({
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: cleanup } },
  security: { auth: { selectedType: 'gemini-api-key' } },
});

const original = await install({ '@google/gemini-cli': VERSION });
let model: ScriptedModel;
let source: CheckpointSource;
let task: string;
let path: string;
let kept: string[];
let count = 0;

afterAll(() => original.remove());

/** A session of its own in a project of its own: two turns, the first with a call of a tool. */
beforeEach(async () => {
  model = await scriptedModel();
  const work = join(original.work, `project-${++count}`);
  await mkdir(work);
  await writeFile(join(work, 'a.txt'), 'hello\n');
  await mkdir(join(original.home, '.gemini'), { recursive: true });
  await configure(settings());
  await run(
    'first question',
    undefined,
    { calls: [{ name: 'read_file', arguments: { file_path: 'a.txt' } }] },
    { text: 'one' },
  );
  source = await open(work);
  task = (await source.tasks()).items[0]?.id ?? '';
  path = join(chatsIn(work), (await readdir(chatsIn(work)))[0] ?? '');
  // What it sends for the first turn when it resumes by itself.
  kept = wordsIn((await run('second question', task, { text: 'two' }))[0]?.body['contents']).slice(0, -1);
  expect([kept[0], kept.at(-1)]).toEqual(['first question', 'one']);
});
afterEach(async () => {
  await source?.close?.();
  await model?.close();
});

it('G2: after a restore, one rewind, it sends the kept turns only; undo gives the file back', async () => {
  const before = await readFile(path);
  // What the question follows: its rewind is the way back in the same run.
  const asked = await source.meta({ task, id: await idOf('second question') });
  const ref = { task, id: asked?.parentId ?? '' };
  const plan = await planned({ kind: 'restore', ref });
  const { images } = await applyPlan(plan);
  expect((await readFile(path, 'utf8')).split('\n').at(-2)).toMatch(/^\{"\$rewindTo":/);
  await undoPlan(plan, images);
  expect((await readFile(path)).equals(before)).toBe(true);
  await applyPlan(await planned({ kind: 'restore', ref }));
  expect(await heard('third question')).toEqual([...kept, 'third question']);
});

it('G2: a session that was resumed in another minute goes back too; the empty file beside it is named, not shown', async () => {
  // Named as one of long ago, so that every resume is in another minute.
  const chats = dirname(path);
  await rename(path, join(chats, basename(path).replace(/session-.{16}/, 'session-2026-01-01T00-00')));
  const turns = [...kept, 'second question', 'two'];
  expect(await heard('third question')).toEqual([...turns, 'third question']);
  const { ref, note } = await source.latest(task);
  expect(ref && (await source.meta(ref))?.description).toBe('answer');
  expect(note).toContain('an empty file with the same id');
  await applyPlan(await planned({ kind: 'restore', ref: { task, id: await idOf('two') } }));
  expect(await heard('fourth question')).toEqual([...turns, 'fourth question']);
  // What the note says comes true.
  await configure(settings(true));
  await run('question of another session', undefined, { text: 'answer' });
  expect((await readdir(chats)).filter((name) => name.includes(task.slice(0, 8)))).toEqual([]);
});

it('a restore to a branch that was dropped, all messages in one record, is what it sends', async () => {
  const dropped = { task, id: await idOf('two') };
  await applyPlan(await planned({ kind: 'restore', ref: { task, id: await idOf('one') } }));
  await heard('another question');
  await applyPlan(await planned({ kind: 'restore', ref: dropped }));
  expect(await heard('third question')).toEqual([...kept, 'second question', 'two', 'third question']);
});

it('G1: it continues a fork under its own id, and the other session stays as it was', async () => {
  const before = await readFile(path);
  const names = await readdir(dirname(path));
  const plan = await planned({ kind: 'fork', ref: { task, id: await idOf('one') } });
  const { images } = await applyPlan(plan);
  await undoPlan(plan, images);
  expect(await readdir(dirname(path))).toEqual(names);
  await applyPlan(plan);
  const fork = plan.view.targetTask ?? '';
  expect(await heard('forked question', fork)).toEqual([...kept, 'forked question']);
  expect((await readFile(path)).equals(before)).toBe(true);
  expect((await source.latest(fork)).ref).toBeDefined();
  // It has moved on since: what it wrote isn't ours to remove.
  await expect(undoPlan(plan, images)).rejects.toMatchObject({ code: 'changed' });
});

it('G4: an edited conversation is what it sends', async () => {
  const ref = { task, id: await idOf('two') };
  const text = (await source.state(ref))?.text.replace('"one"', '"edited"') ?? '';
  await applyPlan(await planned({ kind: 'edit', ref, text }));
  const edited = kept.map((word) => (word === 'one' ? 'edited' : word));
  expect(await heard('third question')).toEqual([...edited, 'second question', 'two', 'third question']);
});

const configure = (given: object): Promise<void> =>
  writeFile(join(original.home, '.gemini/settings.json'), JSON.stringify(given));
const chatsIn = (work: string): string => join(original.home, '.gemini/tmp', work.split('/').at(-1) ?? '', 'chats');

async function open(work: string): Promise<CheckpointSource> {
  const folder = chatsIn(work);
  const target = { kind: 'path', path: folder, is: 'folder' } as const;
  const [opened] = await geminiCliSystem.open(target, { label: 'gemini', location: folder, nameStore: storeId });
  if (!opened) throw new Error('Its sessions did not open.');
  return opened;
}

async function planned(request: SystemRequest): Promise<Plan> {
  if (!isChangeable(source)) throw new Error('It only reads.');
  return source.plan(request);
}

/** The checkpoint of the answer with these words. */
async function idOf(words: string): Promise<string> {
  const { items } = await source.checkpoints(task);
  const found = items.find((meta) => meta.description === words);
  if (!found)
    throw new Error(`No checkpoint "${words}" among ${items.map(({ description }) => description).join(', ')}.`);
  return found.id;
}

async function run(prompt: string, session: string | undefined, ...answers: readonly Answer[]) {
  model.say(...answers);
  const more = session === undefined ? [] : ['--resume', session];
  const args = ['-m', 'gemini-2.5-flash', '--skip-trust', '-y', ...more, '-p', prompt];
  const env = { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url };
  const cwd = join(original.work, `project-${count}`);
  const done = await original.run(join(original.folder, 'node_modules/.bin/gemini'), args, { cwd, env });
  if (done.code !== 0) throw new Error(`It ended with ${done.code}: ${done.stderr.slice(-500)}`);
  return model.take();
}

/** What the model is sent when the session is resumed: the words and results, without what the program adds itself. */
async function heard(prompt: string, session = task): Promise<string[]> {
  const [request] = await run(prompt, session, { text: 'answer' });
  return wordsIn(request?.body['contents']);
}

type Part = { text?: string; functionResponse?: { response?: { output?: string } } };

/**
 * A result counts once: on resume it sends the stored result, and that of the call again for every resume in another
 * minute, because only those keep the call with its result in the list that they write.
 */
function wordsIn(contents: unknown): string[] {
  const turns = Array.isArray(contents) ? (contents as { parts: Part[] }[]) : [];
  const words = turns.flatMap(({ parts }) => parts.map((part) => part.text ?? part.functionResponse?.response?.output));
  return words
    .filter((word) => word !== undefined && !word.startsWith('<session_context>'))
    .map(String)
    .filter((word, at, all) => word !== all[at - 1]);
}
