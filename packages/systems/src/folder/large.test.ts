import { isChangeable, pathOf, storeId, type CheckpointSource, type System } from '@checkpoint-inspector/core';
import { openSqlite, sha256 } from '@checkpoint-inspector/io';
import fs from 'node:fs';
import promises, { cp, mkdir, mkdtemp, readFile, readdir, rm, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { agentFrameworkSystem } from '../agent-framework/index.ts';
import { fixture as agentFramework } from '../agent-framework/fixtures/open.ts';
import { kaizenSystem } from '../kaizen/index.ts';
import { fixture as kaizen, PASSPHRASE } from '../kaizen/fixtures/open.ts';
import { rlmActSystem } from '../rlm-act/index.ts';
import { fixture as rlmAct } from '../rlm-act/fixtures/open.ts';

const COUNT = 1_500;

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'large-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The documents of a fixture again and again, under names of their own, none written lately. */
async function largeCopy(of: string, nameOf: (n: number) => string): Promise<string> {
  const folder = join(await temporary(), 'checkpoints');
  await mkdir(folder);
  const names = (await readdir(of)).toSorted();
  const copies = Array.from({ length: COUNT }, async (_, n) => {
    const name = names[n % names.length] ?? '';
    const copy = join(folder, nameOf(n));
    await cp(join(of, name), copy);
    const time = new Date(Date.UTC(2026, 0, 1) + n * 60_000);
    await utimes(copy, time, time);
  });
  await Promise.all(copies);
  return folder;
}

async function open(system: System, folder: string, stateFolder: string): Promise<CheckpointSource> {
  const target = { kind: 'path', path: folder, is: 'folder' } as const;
  const options = { label: 'large', location: pathOf(target).path, nameStore: storeId, stateFolder };
  const [source] = await system.open(target, options);
  if (source === undefined) throw new Error('The system opened nothing.');
  onTestFinished(() => source.close?.());
  return source;
}

async function everything(source: CheckpointSource) {
  const { items: tasks } = await source.tasks();
  const lists = tasks.map(({ id }) => source.checkpoints(id, { limit: 1000 }));
  return { tasks, pages: await Promise.all(lists) };
}

/** Files of the folder that this process opens. */
function countOpened(folder: string): () => number {
  const spies = [vi.spyOn(fs, 'openSync'), vi.spyOn(promises, 'open')];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  const paths = () => spies.flatMap((spy) => spy.mock.calls.map(([path]) => String(path)));
  return () => paths().filter((path) => path.startsWith(folder)).length;
}

const hex = (n: number): string => n.toString(16).padStart(12, '0');
/** What a reader makes of the first documents of these fixtures. Where it is something else, its id needs a new number. */
const READERS = [
  {
    system: kaizenSystem,
    fixture: kaizen('plain'),
    nameOf: (n: number) => `ckpt_${hex(n)}.jsonl`,
    reader: 'kaizen 1',
    read: 'af91e1d3c3d7bb09',
  },
  {
    system: agentFrameworkSystem,
    fixture: agentFramework('counter-forks'),
    nameOf: (n: number) => `${String(n).padStart(4, '0')}.json`,
    reader: 'agent-framework documents 1',
    read: 'd04265b26c56de6f',
  },
  {
    system: rlmActSystem,
    fixture: rlmAct('python-new-york'),
    nameOf: (n: number) => `00000000-0000-4000-8000-${hex(n)}.json`,
    reader: 'rlm-act 1',
    read: '2e67af8bb8f43a75',
  },
];

it.each(READERS)('$reader shows a part of a large folder at once, and keeps what it read', async (one) => {
  const { system, fixture, nameOf, reader, read } = one;
  const folder = await largeCopy(fixture, nameOf);
  const stateFolder = await temporary();
  const source = await open(system, folder, stateFolder);
  expect(source.info.indexed.of).toBe(COUNT);
  expect(source.info.indexed.n).toBeLessThan(COUNT);
  const { items } = await source.tasks({ partial: true });
  const page = await source.checkpoints(items[0]?.id ?? '', { partial: true });
  expect(page.items.length).toBeGreaterThan(0);
  // It may all be read by now.
  expect(page.partial?.of ?? COUNT).toBe(COUNT);

  const whole = await everything(source);
  expect(source.info.indexed).toEqual({ n: COUNT, of: COUNT });
  expect(whole.tasks.reduce((sum, { checkpointCount }) => sum + checkpointCount, 0)).toBe(COUNT);
  expect(whole.pages.some((one) => one.partial)).toBe(false);
  const db = openSqlite(join(stateFolder, 'folders.sqlite'), { readOnly: true });
  const rows = db.prepare<{ reader: string; text: string }>(
    'SELECT reader, text FROM files JOIN folders ON folders.id = files.folder ORDER BY name LIMIT 3',
  );
  const kept = rows.all();
  db.close();
  expect(kept.map((row) => row.reader)).toEqual([reader, reader, reader]);
  expect(sha256(kept.map(({ text }) => text).join('\n')).slice(0, 16)).toBe(read);

  const opened = countOpened(folder);
  const again = await open(system, folder, stateFolder);
  const before = opened();
  expect(await everything(again)).toEqual(whole);
  expect(opened() - before).toBe(0);
});

it('finds in a part what is in the folder, waits for what is not in the part, and plans by all of it', async () => {
  const folder = await largeCopy(kaizen('plain'), (n) => `ckpt_${hex(n)}.jsonl`);
  const source = await open(kaizenSystem, folder, await temporary());
  const oldest = (await source.tasks()).items.at(-1)?.id ?? '';
  await source.close?.();
  const fresh = await open(kaizenSystem, folder, await temporary());
  expect(fresh.info.indexed.n).toBeLessThan(COUNT);
  expect(await fresh.meta({ task: oldest, id: 'none' }, { partial: true })).toBeUndefined();
  expect(fresh.info.indexed.n).toBe(COUNT);
  if (!isChangeable(fresh)) throw new Error('It can be changed.');
  const [row] = (await fresh.checkpoints(oldest)).items;
  const plan = await fresh.plan({ kind: 'delete', refs: [{ task: oldest, id: row?.id ?? '' }] });
  expect(plan.view.removes.count).toBe(1);
});

it('keeps nothing of what a key has opened', async () => {
  const folder = await largeCopy(kaizen('plain'), (n) => `ckpt_${hex(n)}.jsonl`);
  for (const name of await readdir(kaizen('enc'))) await cp(join(kaizen('enc'), name), join(folder, name));
  const stateFolder = await temporary();
  const source = await open(kaizenSystem, folder, stateFolder);
  await source.unlock?.(PASSPHRASE);
  await everything(source);
  await source.close?.();
  const bytes = await readFile(join(stateFolder, 'folders.sqlite'), 'latin1');
  expect(bytes.includes(`ckpt_${hex(0)}.jsonl`)).toBe(true);
  expect(bytes.includes('.enc.')).toBe(false);
});
