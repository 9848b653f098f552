import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStore, overlaid } from '@checkpoint-inspector/core';
import { openJournalWhenNeeded } from '@checkpoint-inspector/changes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInspector, overJournal, type Inspector } from '../inspector.ts';
import { storesOver } from './service.ts';
import type { Opener } from './service.ts';

let folder: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Words that are nowhere but in the store: of a state, a step, and a task. */
const WORDS = ['chrysanthemum', 'bougainvillea', 'rhododendron'];

const registry: Opener = {
  open: async (_path, { label, nameStore }) => {
    const store = new MemoryStore({ id: nameStore(label), label });
    await store.save({
      task: 'rhododendron',
      id: 'c1',
      text: '{"word":"chrysanthemum"}',
      description: 'bougainvillea',
    });
    return [overlaid(store, { info: { ...store.info, private: true, identity: '/home/ann/.coder' } })];
  },
  discoverHome: async (home) => [{ path: home }],
};

/** A whole inspector over the store, in a process of its own as it were. */
async function begin(): Promise<Inspector> {
  const state = join(folder, 'state');
  const journal = openJournalWhenNeeded({ folder: state, onUnavailable: () => undefined });
  const stores = storesOver(journal, { registry, stateFolder: state });
  const inspector = createInspector({ ...overJournal(journal, { stores, readOnly: false }), searchFolder: state });
  closing.push(async () => {
    await inspector.close();
    journal.close();
  });
  await inspector.stores.openHome(folder);
  return inspector;
}

async function end(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

async function found({ search }: Inspector): Promise<{ total: number; unkept: (true | undefined)[] }> {
  await search.settled(20_000);
  const { total, coverage } = await search.search('chrysanthemum');
  return { total, unkept: coverage.map(({ unkept }) => unkept) };
}

/** Which of the words are in any file of the state folder. */
function wordsOnDisk(): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const texts = names.filter((name) => statSync(name).isFile()).map((name) => readFileSync(name, 'latin1'));
  return WORDS.filter((word) => texts.some((text) => text.toLowerCase().includes(word)));
}

it('leaves no byte of a private store on disk, though it is searched, listed, explained and compared', async () => {
  const inspector = await begin();
  const { stores, failures, explanations, trees } = inspector;
  const [info] = stores.list();
  if (info === undefined) throw new Error('It is open.');
  expect(await found(inspector)).toEqual({ total: 1, unkept: [true] });
  expect((await stores.tasks({ whole: true })).items).toHaveLength(1);
  await failures.errors();
  await trees.columns(info.id, 'rhododendron');
  await explanations.of(info.id, { task: 'rhododendron' });
  await end();
  expect(wordsOnDisk()).toEqual([]);
});

it('keeps its index once the person agreed, and remembers that', async () => {
  const inspector = await begin();
  const [info] = inspector.stores.list();
  if (info === undefined) throw new Error('It is open.');
  await found(inspector);
  inspector.stores.agreeToKeep(info.id);
  expect(await found(inspector)).toEqual({ total: 1, unkept: [undefined] });
  await end();
  expect(wordsOnDisk()).toContain('chrysanthemum');
  expect(await found(await begin())).toEqual({ total: 1, unkept: [undefined] });
  const kept = join(folder, 'state', 'agreed-stores.json');
  expect(statSync(kept).mode & 0o777).toBe(0o600);
});
