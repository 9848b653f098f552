import { shownRequest, type ChangeRequest, type Receipt } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openJournal } from './journal/journal.ts';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import type { CrashOrder } from './testing/crash-child.ts';
import { dumpDatabase, FolderStore, makeDatabase, DatabaseStore, STORE, TASK } from './testing/stores.ts';

/** Beside packages/io's modules, so that the bundle finds the SQLite driver. */
const BUNDLE = fileURLToPath(
  new URL(`../../../../packages/io/node_modules/.cache/crash-child-${process.pid}.mjs`, import.meta.url),
);
const STATES = { c1: '{"n":1}', c2: '{"n":2}', c3: '{"n":3}' };

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'inspector-crash-'));
  await bundle();
});
afterAll(async () => {
  await rm(base, { recursive: true });
  await rm(BUNDLE);
});

/** Node 20 runs no TypeScript, so the child is bundled; the bundler comes with the test runner. */
async function bundle(): Promise<void> {
  const own = createRequire(import.meta.url);
  const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
  const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
    rolldown: (
      options: object,
    ) => Promise<{ write: (options: object) => Promise<unknown>; close: () => Promise<void> }>;
  };
  const input = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url));
  const build = await rolldown({ input, platform: 'node', external: ['@parcel/watcher'], logLevel: 'silent' });
  await build.write({ file: BUNDLE, format: 'esm', codeSplitting: false });
  await build.close();
}

interface Answer {
  readonly steps: readonly string[];
  readonly receipt?: Receipt;
}

/** What the child said; `undefined` if it was killed. */
function child(order: CrashOrder): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [BUNDLE, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let problem = '';
    run.stdout.on('data', (data: Buffer) => (out += data.toString()));
    run.stderr.on('data', (data: Buffer) => (problem += data.toString()));
    run.on('close', (_code, signal) => {
      if (signal === 'SIGKILL') return resolve(undefined);
      if (out === '') return reject(new Error(problem));
      return resolve(JSON.parse(out) as Answer);
    });
  });
}

type Kind = CrashOrder['kind'];

/** Fills a new folder; returns the store in it. */
async function makeStore(kind: Kind, folder: string): Promise<string> {
  await mkdir(folder);
  if (kind !== 'folder') {
    const path = join(folder, 'store.sqlite');
    makeDatabase(path, STATES, kind);
    return path;
  }
  for (const [id, state] of Object.entries(STATES)) await writeFile(join(folder, `${id}.json`), state);
  return folder;
}

/** All that the store holds, leftovers of a change included. */
async function content(kind: Kind, path: string): Promise<string> {
  if (kind !== 'folder') return dumpDatabase(path);
  const names = (await readdir(path)).sort();
  const lines = names.map(async (name) => `${name} ${await readFile(join(path, name), 'utf8')}`);
  return (await Promise.all(lines)).join('\n');
}

const roomOf = (kind: Kind, path: string) =>
  kind === 'folder' ? new FolderStore(path, 3) : new DatabaseStore(path, 3);

function serviceOf(kind: Kind, store: string, folder: string) {
  const journal = openJournal({ folder });
  const service = createChangeService({ journal, sources: () => roomOf(kind, store), readOnly: false });
  return { journal, service };
}

/** Steps that a restore with one eviction, a delete of two and an undo of the restore come through. */
const FILES = [
  'before-intent',
  'intent',
  'write:0:temp',
  'write:0',
  'written',
  'trash:1:taken',
  'trash:1',
  'before-receipt',
  'receipt',
];
const TWO_TRASHES = [
  'before-intent',
  'intent',
  'written',
  'trash:0:taken',
  'trash:0',
  'trash:1:taken',
  'trash:1',
  'before-receipt',
  'receipt',
];
const ROWS = ['before-intent', 'intent', 'written', 'before-receipt', 'receipt'];

const isPartOfDeletion = (steps: readonly string[], step: string): boolean =>
  steps === TWO_TRASHES && step.startsWith('trash:0');

const ref = (id: string) => ({ task: TASK, id });
const restore: ChangeRequest = { kind: 'restore', ref: ref('c2') };
const remove: ChangeRequest = { kind: 'delete', refs: [ref('c1'), ref('c3')] };

const edit: ChangeRequest = { kind: 'edit', ref: ref('c2'), text: '{"n":"edited by hand"}', reason: 'it was wrong' };
const prune: ChangeRequest = { kind: 'prune', task: TASK, policy: { beyondNewest: 1 } };
/** An undo of the prune above, after the agent has saved again. */
const TWO_WRITES = [
  'before-intent',
  'intent',
  'write:0:temp',
  'write:0',
  'write:1:temp',
  'write:1',
  'written',
  'before-receipt',
  'receipt',
];

describe.each<[string, Kind, ChangeRequest | 'undo' | 'undo-prune', readonly string[]]>([
  ['restore', 'folder', restore, FILES],
  ['edit', 'folder', edit, FILES],
  ['delete', 'folder', remove, TWO_TRASHES],
  ['undo', 'folder', 'undo', FILES],
  ['prune', 'folder', prune, TWO_TRASHES],
  ['prune taken back', 'folder', 'undo-prune', TWO_WRITES],
  ['prune taken back', 'sqlite', 'undo-prune', ROWS],
  ['restore', 'sqlite', restore, ROWS],
  ['edit', 'sqlite', edit, ROWS],
  ['delete', 'sqlite', remove, ROWS],
  ['undo', 'sqlite', 'undo', ROWS],
  ['restore', 'wal', restore, ROWS],
  ['undo', 'wal', 'undo', ROWS],
])('killed in a %s of a %s', (name, kind, what, steps) => {
  let folder: string;
  let store: string;
  let request: ChangeRequest;
  let before: string;
  let after: string;

  beforeAll(async () => {
    folder = join(base, `${name.replaceAll(' ', '-')}-${kind}`);
    store = await makeStore(kind, folder);
    request = what === 'undo' ? await applied(restore) : what === 'undo-prune' ? await applied(prune) : what;
    if (what === 'undo-prune') await saveAgain();
    await cp(folder, `${folder}-saved`, { recursive: true, preserveTimestamps: true });
    before = await content(kind, store);
    const answer = await child({ store, journal: await startAnew('whole'), kind, request, step: 'never' });
    expect(answer?.steps).toEqual(steps);
    after = await content(kind, store);
    expect(after).not.toBe(before);
  });

  /** The request that takes this change back. */
  async function applied(change: ChangeRequest): Promise<ChangeRequest> {
    const { journal, service } = serviceOf(kind, store, `${folder}-state`);
    const receipt = await service.apply((await service.preview(STORE, change)).id);
    journal.close();
    return { kind: 'undo', receiptId: receipt.id };
  }

  /** A save of the agent, newer than all. */
  async function saveAgain(): Promise<void> {
    if (kind === 'folder') return writeFile(join(store, 'c4.json'), '{"n":4}');
    const db = openSqlite(store, { readOnly: false });
    db.prepare('INSERT INTO checkpoints VALUES (?, ?, ?)').run(TASK, 'c4', Buffer.from('{"n":4}'));
    db.close();
  }

  /** The store as it was, under its path, which the journal knows; returns the folder of a journal for this step. */
  async function startAnew(step: string): Promise<string> {
    await rm(folder, { recursive: true });
    await cp(`${folder}-saved`, folder, { recursive: true, preserveTimestamps: true });
    const state = `${folder}-state-${step.replaceAll(':', '-')}`;
    if (request.kind === 'undo') await cp(`${folder}-state`, state, { recursive: true });
    return state;
  }

  it.each(steps)('at %s: all or nothing, and the journal says which', async (step) => {
    const state = await startAnew(step);
    expect(await child({ store, journal: state, kind, request, step })).toBeUndefined();

    const { journal, service } = serviceOf(kind, store, state);
    const [left] = await service.interrupted();
    if (isPartOfDeletion(steps, step)) expect(left?.progress).toEqual({ done: 1, of: 2 });
    const recovered = await service.recover();
    const now = await content(kind, store);
    expect([before, after]).toContain(now);
    expect(journal.openIntents()).toEqual([]);
    expect(await service.interrupted()).toEqual([]);
    // A deletion is finished by nobody but the one who asked for it.
    if (isPartOfDeletion(steps, step)) expect(now).toBe(before);

    const begun = step !== 'before-intent';
    expect(recovered).toHaveLength(begun && step !== 'receipt' ? 1 : 0);
    const [newest] = (await service.receipts()).items;
    if (begun) {
      expect(newest?.request).toEqual(await shownRequest(request));
      expect(newest?.undoable).toBe(now === before ? 'It changed nothing, so there is nothing to undo.' : true);
    }
    for (const { outcome } of recovered) expect(outcome).toBe(now === before ? 'rolled-back' : 'completed');
    expect(await service.recover()).toEqual([]);

    if (begun && now === after && newest) {
      await service.undo(newest.id);
      expect(await content(kind, store)).toBe(before);
    }
    journal.close();
  });
});
