/** A bundle of each system of the registry is made, opened, imported and compared. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openJournal, placeOf, type Annotation } from '@checkpoint-inspector/changes';
import { MemoryStore, refOfMeta, storeId, type CheckpointRef, type CheckpointSource } from '@checkpoint-inspector/core';
import { describeSource } from '@checkpoint-inspector/core/testing';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { foreignSystems } from '@checkpoint-inspector/systems/registry';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAnnotationService, withLabels } from '../annotations.ts';
import { compareRuns } from '../compare/compare.ts';
import { besideDigest, besideIn } from '../copy/beside.ts';
import { contentOf, detailsOf, hasTime } from '../copy/content.ts';
import { copyStore } from '../copy/copy.ts';
import { openCopyTarget } from '../copy/target.ts';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { openFixture } from '../testing/fixtures.ts';
import { bundle, previewExport } from './bundle.ts';
import { gather } from './gather.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'bundle-'));

/** Of a system without a line here, the first store in its fixtures is taken. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  langgraph: ['js.sqlite'],
  'langgraph-dev': ['py/.langgraph_api'],
  kaizen: ['plain'],
  'rlm-act': ['go/.rlm-act-checkpoints'],
  'agent-framework': ['counter-forks', 'dotnet'],
  'gemini-cli': ['five-turns/.gemini'],
  'claude-code': ['sessions/.claude'],
};

async function storesOf(id: string): Promise<readonly string[]> {
  const place = fileURLToPath(new URL(`../../../systems/src/${id}/fixtures`, import.meta.url));
  if (CHOSEN[id] !== undefined || !existsSync(place)) return CHOSEN[id] ?? [];
  // The programs and facts beside the stores aren't any.
  const names = readdirSync(place).filter((name) => !/\.(?:ts|json)$/.test(name));
  for (const name of names.toSorted()) if (await isOf(id, join(place, name))) return [name];
  return [];
}

/** Looked at in a copy: whoever opens a database leaves files beside it. */
async function isOf(id: string, path: string): Promise<boolean> {
  const copy = folder();
  try {
    cpSync(path, join(copy, basename(path)), { recursive: true });
    const found = await defaultRegistry().detect(join(copy, basename(path)));
    return found.length === 1 && found[0]?.system === id;
  } catch {
    return false;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const STORES = ['native'];
/** They need a line above. */
const WITHOUT: string[] = [];
for (const { id } of foreignSystems) {
  const names = id === 'bundle' ? [] : await storesOf(id);
  STORES.push(...names.map((name) => `${id}/fixtures/${name}`));
  if (names.length === 0 && id !== 'bundle') WITHOUT.push(id);
}
it('every system has a store to make a bundle of', () => expect(WITHOUT).toEqual([]));

/** Ours is written here, with all that only it keeps. */
async function openStore(name: string): Promise<CheckpointSource> {
  if (name !== 'native') return openFixture(name);
  const path = join(folder(), 'native.db');
  const store = await openSqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(join(path, '..'), { recursive: true });
  });
  const parent = { task: 'run', id: 'c-1' };
  await store.save({ task: 'run', id: 'c-1', text: '{"n": 1.0, "big": 12345678901234567890}', stepIndex: 1 });
  await store.saveWrites(parent, [{ run: 'r', index: 0, channel: 'c', text: '[1.0]' }]);
  await store.save({ task: 'run', id: 'c-1', text: '{"n":{}}', namespace: 'a' });
  const failed = { status: 'failed', description: 'fetch', createdAt: '2026-03-01T14:17:10.000Z' } as const;
  await store.save({ task: 'run', id: 'c-2', text: '{"n":2}', parent, beside: '{"error":"no answer"}', ...failed });
  return store;
}

async function bundleOf(source: CheckpointSource, annotations: readonly Annotation[] = []): Promise<string> {
  const subjects = [];
  for await (const { id } of everyTask(source)) {
    const own = annotations.filter(({ ref }) => ref.task === id);
    subjects.push(await gather(source, { task: id, annotations: own }));
  }
  let text = '';
  for await (const piece of bundle(subjects, { reveal: true, version: '1.2.3' })) text += piece;
  return text;
}

async function open(text: string, path = join(folder(), 'case.json')) {
  writeFileSync(path, text);
  const options = { label: 'case', location: path, nameStore: () => storeId('case') };
  const [source] = await defaultRegistry().open(path, options);
  if (source === undefined) throw new Error('The bundle did not open.');
  return { source, path, teardown: async () => rmSync(join(path, '..'), { recursive: true }) };
}

function journalIn(folder: string) {
  const journal = openJournal({ folder });
  onTestFinished(() => {
    journal.close();
    rmSync(folder, { recursive: true });
  });
  return journal.annotations;
}

async function longLabels(source: CheckpointSource): Promise<number> {
  let count = 0;
  for await (const { id } of everyTask(source))
    for await (const { labels, problem } of everyRow(source, id))
      if (problem === undefined && labels.some((label) => label.length > 60)) count += 1;
  return count;
}

async function firstReadable(source: CheckpointSource): Promise<CheckpointRef> {
  for await (const { id } of everyTask(source))
    for await (const meta of everyRow(source, id)) if (meta.problem === undefined) return refOfMeta(meta);
  throw new Error(`${source.info.label} has no readable checkpoint.`);
}

/** All that there is of a store, by task and in the order of its lists. */
async function everythingIn(source: CheckpointSource): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { store: _, ...task } of everyTask(source)) {
    const metas = [];
    for await (const { store: __, revision: ___, ...meta } of everyRow(source, task.id)) {
      const ref = refOfMeta(meta);
      const state = meta.problem === undefined ? await source.state(ref) : undefined;
      const beside = meta.problem === undefined ? await source.beside?.(ref) : undefined;
      metas.push({ meta, text: state?.text, derived: state?.derived, beside });
    }
    const rows = [];
    for await (const row of source.lineage(task.id)) rows.push(row);
    all.push({ task, metas, rows });
  }
  return all;
}

/** What a copy keeps: by checkpoint, its state and parent, its details, and what is beside it. */
async function keptIn(source: CheckpointSource, given: 'time' | 'no time'): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { id: task } of everyTask(source)) {
    for await (const meta of everyRow(source, task)) {
      const ref = refOfMeta(meta);
      const state = meta.problem === undefined ? await source.state(ref) : undefined;
      if (state === undefined) continue;
      const beside = besideDigest(await besideIn(source, meta, ref));
      all.push([ref, contentOf(meta, state.text), detailsOf(meta, given === 'time' && hasTime(meta)), beside]);
    }
  }
  return all.map((one) => JSON.stringify(one)).toSorted();
}

describe.each(STORES)('a bundle of %s', (name) => {
  it('has everything that the store has', async () => {
    const source = await openStore(name);
    const { source: opened, teardown } = await open(await bundleOf(source));
    onTestFinished(teardown);
    expect(await everythingIn(opened)).toEqual(await everythingIn(source));
  }, 120_000);

  it('is told before it is made with the size of the states that are in it', async () => {
    const source = await openStore(name);
    let bytes = 0;
    const subjects = [];
    for await (const { id } of everyTask(source)) {
      subjects.push(await gather(source, { task: id }));
      for await (const meta of everyRow(source, id)) {
        const state = meta.problem === undefined ? await source.state(refOfMeta(meta)) : undefined;
        bytes += Buffer.byteLength(state?.text ?? '');
      }
    }
    expect((await previewExport(subjects)).sizeBytes).toBe(bytes);
  }, 120_000);

  it('imported and exported again has the same content', async () => {
    const { source, path, teardown } = await open(await bundleOf(await openStore(name)));
    onTestFinished(teardown);
    const to = join(path, '../copy.db');
    const target = await openCopyTarget(to, { source }, defaultRegistry());
    const report = await copyStore(source, target);
    await target.close();
    expect(report).toMatchObject({ conflicts: [], failed: [], present: 0 });
    const given = report.notKept.some(({ what }) => what.startsWith('a time')) ? 'no time' : 'time';
    const store = await openSqliteStore({ path: to, readOnly: true });
    onTestFinished(() => store.close());
    const again = await open(await bundleOf(store), join(path, '../again.json'));
    const [before, after] = [await keptIn(source, given), await keptIn(again.source, given)];
    expect(before.length).toBeGreaterThan(0);
    expect(after).toEqual(before);
    // And of the second store nothing is lost at all: what only a store of ours keeps is in its bundle.
    expect(await keptIn(again.source, 'time')).toEqual(await keptIn(store, 'time'));
  }, 120_000);

  it('compared with the store, step by step, differs nowhere', async () => {
    const source = await openStore(name);
    const { source: opened, teardown } = await open(await bundleOf(source));
    onTestFinished(teardown);
    let compared = 0;
    for await (const { id: task, latestId } of everyTask(source)) {
      if (latestId === undefined) continue;
      const found = await compareRuns({ source, query: { task } }, { source: opened, query: { task } });
      expect(found.first).toBeUndefined();
      expect(found.end?.items).toEqual([]);
      compared += found.rows.length;
    }
    expect(compared).toBeGreaterThan(0);
  }, 120_000);

  it('gives its labels and notes to the copy', async () => {
    const [mine, theirs] = [journalIn(folder()), journalIn(folder())];
    const bare = await openStore(name);
    const ref = await firstReadable(bare);
    for (const label of ['bookmark', 'look']) mine.addLabel(placeOf(bare), ref, label);
    mine.setNote(placeOf(bare), ref, 'The cache is stale.');
    const source = withLabels(bare, () => mine);
    const { source: opened, path, teardown } = await open(await bundleOf(source, mine.ofPlace(placeOf(bare))));
    onTestFinished(teardown);

    const { stores, to } = {
      stores: createStoreService({ registry: defaultRegistry() }),
      to: join(path, '../copy.db'),
    };
    const keepWords = createAnnotationService({ stores, annotations: theirs, readOnly: false }).keep;
    const target = await openCopyTarget(to, { source: opened }, defaultRegistry());
    const report = await copyStore(opened, target, { keepWords });
    await target.close();
    // Ours has less room for a label than some systems: each is named.
    expect(report.notAnnotated).toHaveLength(await longLabels(opened));
    expect(report.failed).toEqual([]);
    expect(report.notKept.map(({ what }) => what)).not.toContain('labels and notes');
    const store = await openSqliteStore({ path: to, readOnly: true });
    onTestFinished(() => store.close());
    const { labels, note } = theirs.of(placeOf(store), ref);
    expect(labels).toEqual(expect.arrayContaining(['bookmark', 'look']));
    expect(note).toBe('The cache is stale.');
  }, 120_000);
});

// With subgraphs, pending writes and questions; and with rows that can't be read.
describe.each(['langgraph-dev/fixtures/js/.langgraph_api', 'agent-framework/fixtures/bad'])(
  'a bundle of %s',
  (fixture) => {
    let text: Promise<string> | undefined;
    describeSource('is a store like others', {
      open: async () => open(await (text ??= openFixture(fixture).then((source) => bundleOf(source)))),
    });
  },
);

it('a masked state has the size of what is in the file', async () => {
  const store = new MemoryStore();
  await store.save({ task: 't', id: 'masked', text: JSON.stringify({ password: 'p'.repeat(57) }) });
  await store.save({ task: 't', id: 'plain', text: '{"n":1}' });
  let file = '';
  for await (const piece of bundle([await gather(store, { task: 't' })])) file += piece;
  const { checkpoints } = JSON.parse(file).tasks[0];
  expect(checkpoints).toHaveLength(2);
  for (const { meta, state } of checkpoints) expect(meta.sizeBytes).toBe(Buffer.byteLength(state.text));
});
