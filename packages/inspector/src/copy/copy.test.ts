import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openJournal, placeOf } from '@checkpoint-inspector/changes';
import { overlaid, refOfMeta, storeId, type CheckpointMeta, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createAnnotationService } from '../annotations.ts';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { openAgent } from '../testing/agents.ts';
import { openFixture } from '../testing/fixtures.ts';
import { seededStore } from '../testing/seeded.ts';
import { parentOf } from './content.ts';
import { copyStore, type CopyOptions } from './copy.ts';
import { openCopyTarget, type CopyFrom } from './target.ts';
import type { CopyReport } from './types.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'copy-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function copyTo(path: string, from: CopyFrom, options?: CopyOptions): Promise<CopyReport> {
  const target = await openCopyTarget(path, from, defaultRegistry());
  try {
    return await copyStore(from.source, target, options);
  } finally {
    await target.close();
  }
}

async function reading(path: string): Promise<CheckpointSource> {
  const store = await openSqliteStore({ path, readOnly: true });
  onTestFinished(() => store.close());
  return store;
}

/** All that a copy keeps of a checkpoint that can be read. */
async function kept(source: CheckpointSource, meta: CheckpointMeta): Promise<unknown> {
  const { taskId, id, trigger, status, description, createdAt, stepIndex, totalSteps, agentId, isLatest } = meta;
  const { durationMs, tokenUsage, costUsd } = meta;
  const text = (await source.state(refOfMeta(meta)))?.text;
  const time = createdAt === undefined ? undefined : Date.parse(createdAt);
  const numbers = { stepIndex, totalSteps, durationMs, tokenUsage, costUsd, time };
  return { taskId, id, trigger, status, description, agentId, isLatest, text, parent: parentOf(meta), ...numbers };
}

/** Task by task, the latest first, without what could not be copied. */
async function contentsOf(source: CheckpointSource, left: CopyReport['unreadable'] = []): Promise<unknown[]> {
  const gone = new Set(left.map(({ ref }) => JSON.stringify(ref)));
  const contents: unknown[] = [];
  const tasks: string[] = [];
  for await (const { id } of everyTask(source)) tasks.push(id);
  for (const task of tasks.toSorted())
    for await (const meta of everyRow(source, task))
      if (!gone.has(JSON.stringify(refOfMeta(meta)))) contents.push(await kept(source, meta));
  return contents;
}

it.each([
  ['langgraph/fixtures/js.sqlite', 477],
  ['kaizen/fixtures/plain', 13],
  ['ctx-sys/fixtures/demo-app.db', 0],
  ['rlm-act/fixtures/go/.rlm-act-checkpoints', 0],
  ['rlm-act/fixtures/bad/.rlm-act-checkpoints', 0],
  ['agent-framework/fixtures/counter-forks', 0],
  ['agent-framework/fixtures/hitl', 0],
  ['agent-framework/fixtures/bad', 0],
  ['agent-framework/fixtures/dotnet', 0],
  ['langgraph-dev/fixtures/py/.langgraph_api', 0],
  ['langgraph-dev/fixtures/js/.langgraph_api', 0],
])(
  'copies %s whole, and a second time nothing',
  async (fixture, least) => {
    const source = await openFixture(fixture);
    const path = join(folder(), 'copy.db');
    const report = await copyTo(path, { source });
    expect(report.checkpoints).toBeGreaterThanOrEqual(Math.max(1, least));
    expect(report.copied + report.unreadable.length).toBe(report.checkpoints);
    expect(report).toMatchObject({ present: 0, outdated: 0, conflicts: [], failed: [], verified: report.copied });
    if (report.copied === 0) return;
    const copy = await reading(path);
    const withTime = (contents: unknown[]) =>
      report.notKept.some(({ what }) => what.startsWith('a time'))
        ? contents.map((one) => ({ ...Object(one), time: 0 }))
        : contents;
    expect(withTime(await contentsOf(copy))).toEqual(withTime(await contentsOf(source, report.unreadable)));
    const again = await copyTo(path, { source });
    expect(again).toMatchObject({
      copied: 0,
      present: report.copied,
      conflicts: [],
      failed: [],
      verified: report.copied,
    });
    expect(again.unreadable).toEqual(report.unreadable);
  },
  120_000,
);

it('names every row that cannot be read, with its reason', async () => {
  const source = await openFixture('kaizen/fixtures/enc');
  const { unreadable, checkpoints, copied } = await copyTo(join(folder(), 'copy.db'), { source });
  expect(checkpoints).toBeGreaterThan(0);
  expect(unreadable).toHaveLength(checkpoints - copied);
  for (const { code, message } of unreadable) expect([code, message]).toEqual(['locked', expect.stringMatching(/\w/)]);
});

it('keeps text byte for byte, of one task only if asked, and leaves a store of its own format readable', async () => {
  const source = await seededStore();
  const path = join(folder(), 'copy.db');
  expect(await copyTo(path, { source }, { task: 'run-1' })).toMatchObject({ tasks: 1, copied: 3, verified: 3 });
  const copy = await reading(path);
  expect((await copy.state({ task: 'run-1', id: 'cp-3' }))?.text).toBe('{"n": 3.0, "big": 12345678901234567891}');
  expect((await copy.latest('run-1')).ref).toEqual({ task: 'run-1', id: 'cp-3' });
  expect(await copyTo(path, { source })).toMatchObject({ tasks: 2, copied: 1, present: 3 });
  const second = join(folder(), 'second.db');
  await copyTo(second, { source: copy });
  expect(await contentsOf(await reading(second))).toEqual(await contentsOf(await reading(path)));
});

it('with dryRun counts and makes no file', async () => {
  const source = await seededStore();
  const path = join(folder(), 'copy.db');
  expect(await copyTo(path, { source }, { dryRun: true })).toMatchObject({ copied: 4, verified: 0, dryRun: true });
  expect(existsSync(path)).toBe(false);
  await copyTo(path, { source }, { task: 'run-2' });
  const before = readFileSync(path);
  expect(await copyTo(path, { source }, { dryRun: true })).toMatchObject({ copied: 3, present: 1 });
  expect(readFileSync(path).equals(before)).toBe(true);
});

it('lists another content under the same id, and never overwrites it', async () => {
  const source = await seededStore();
  const path = join(folder(), 'copy.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: 'run-1', id: 'cp-1', text: '{"n": 1, "big": 12345678901234567890}', status: 'failed' });
  await store.save({ task: 'run-1', id: 'cp-2', text: '{"n": 2, "big": 12345678901234567891}' });
  await store.save({ task: 'run-2', id: 'cp-1', text: '{"other":true}' });
  await store.close();
  const report = await copyTo(path, { source });
  expect(report).toMatchObject({ copied: 1, present: 1, outdated: 1, verified: 2, failed: [] });
  expect(report.conflicts.toSorted((a, b) => (a.ref.id < b.ref.id ? -1 : 1))).toEqual([
    { ref: { task: 'run-2', id: 'cp-1' }, code: 'changed', message: 'Another state is stored under this id.' },
    {
      ref: { task: 'run-1', id: 'cp-2' },
      code: 'changed',
      message: 'The same state is stored under this id, with another parent.',
    },
  ]);
  const copy = await reading(path);
  expect((await copy.state({ task: 'run-2', id: 'cp-1' }))?.text).toBe('{"other":true}');
  expect((await copy.meta({ task: 'run-1', id: 'cp-1' }))?.status).toBe('failed');
});

it('tells when the copy reads back differently', async () => {
  const source = await seededStore();
  const path = join(folder(), 'copy.db');
  const target = await openCopyTarget(path, { source }, defaultRegistry());
  onTestFinished(() => target.close());
  const forgetful: typeof target = {
    ...target,
    save: (checkpoint) => target.save(checkpoint.id === 'cp-2' ? { ...checkpoint, text: '{}' } : checkpoint),
  };
  const { failed, verified } = await copyStore(source, forgetful);
  expect(verified).toBe(3);
  expect(failed).toEqual([expect.objectContaining({ ref: { task: 'run-1', id: 'cp-2' }, code: 'proof_failed' })]);
});

it('refuses the source itself, whatever it is called, and a place inside it', async () => {
  const path = join(folder(), 'a.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: 't', id: 'c', text: '1' });
  await store.close();
  linkSync(path, `${path}.link`);
  const source = await reading(path);
  for (const same of [path, `${path}.link`])
    await expect(copyTo(same, { source })).rejects.toThrow('Source and target are the same store.');
  const kaizen = await openFixture('kaizen/fixtures/plain');
  const inside = join(kaizen.info.identity ?? '', 'copy.db');
  await expect(copyTo(inside, { source: kaizen })).rejects.toThrow('inside the store that is copied');
  expect(existsSync(inside)).toBe(false);
});

it('refuses stores that only their system writes, files that are no store, and addresses', async () => {
  const source = await seededStore();
  const langgraph = await openFixture('langgraph/fixtures/js.sqlite');
  await expect(copyTo(langgraph.info.identity ?? '', { source })).rejects.toThrow(/a store of langgraph/);
  const kaizen = await openFixture('kaizen/fixtures/plain');
  await expect(copyTo(kaizen.info.identity ?? '', { source })).rejects.toThrow(/a store of kaizen/);
  const text = fileURLToPath(import.meta.url);
  await expect(copyTo(text, { source })).rejects.toMatchObject({ code: 'no_store' });
  await expect(copyTo('mysql://x/y', { source })).rejects.toMatchObject({ code: 'unsupported' });
  await expect(copyTo('/nowhere/at/all.db', { source })).rejects.toMatchObject({ code: 'invalid_input' });
});

it('refuses a target that would evict what is copied', async () => {
  const source = await seededStore();
  const path = join(folder(), 'kept.db');
  const store = await openSqliteStore({ path, maxPerTask: 3 });
  await store.save({ task: 'run-1', id: 'own', text: '1' });
  await store.close();
  await expect(copyTo(path, { source })).rejects.toThrow(/keeps 3 checkpoints per task, and "run-1" would have 4/);
  expect((await (await reading(path)).checkpoints('run-1')).items.map(({ id }) => id)).toEqual(['own']);
});

it('does not guess which of several projects is meant', async () => {
  const fixture = await openFixture('ctx-sys/fixtures/demo-app.db');
  const path = join(folder(), 'ctx.db');
  copyFileSync(fixture.info.identity ?? '', path);
  await expect(copyTo(path, { source: await seededStore() })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('contains 2 stores'),
  });
});

it('saves to ctx-sys by its rules, and a state that it has not again', async () => {
  const path = join(folder(), 'ctx.db');
  const agent = await openAgent('ctx-sys', path, 'run-2');
  await agent.save(0, 'its own');
  await agent.close();
  const source = await seededStore();
  expect(await copyTo(path, { source })).toMatchObject({ copied: 4, present: 0, verified: 4, failed: [] });
  expect(await copyTo(path, { source })).toMatchObject({ copied: 0, present: 4, failed: [] });
  const [run] = await defaultRegistry().open(path, { label: 'ctx', location: path, nameStore: () => storeId('ctx') });
  onTestFinished(() => run?.close?.());
  const { items = [] } = (await run?.checkpoints('run-1')) ?? {};
  expect(items).toHaveLength(3);
  const latest = await run?.state(refOfMeta(items[0] ?? expect.fail('none')));
  expect(latest?.text).toContain('"context":{"n": 3.0, "big": 12345678901234567891}');
});

it('leaves a note that is written about the copy, and says so; the labels are added', async () => {
  const to = join(folder(), 'copy.db');
  const base = await seededStore();
  const ref = { task: 'run-2', id: 'cp-1' };
  const source = overlaid(base, {
    meta: async (at) => {
      const meta = await base.meta(at);
      return meta && { ...meta, ...(at.task === ref.task ? { labels: ['look'], note: 'From the bundle.' } : {}) };
    },
  });
  const journal = openJournal({ folder: folder() });
  onTestFinished(() => journal.close());
  const { annotations } = journal;
  const stores = createStoreService({ registry: defaultRegistry() });
  const keepWords = createAnnotationService({ stores, annotations, readOnly: false }).keep;
  expect(await copyTo(to, { source }, { dryRun: true, keepWords })).toMatchObject({ annotated: 1, notKept: [] });
  expect(existsSync(to)).toBe(false);
  expect(await copyTo(to, { source }, { keepWords })).toMatchObject({ annotated: 1, notAnnotated: [] });
  const place = placeOf(await reading(to));
  expect(annotations.of(place, ref)).toMatchObject({ labels: ['look'], note: 'From the bundle.' });
  annotations.setNote(place, ref, 'Mine.');
  annotations.removeLabel(place, ref, 'look');
  const again = await copyTo(to, { source }, { keepWords });
  expect(again).toMatchObject({ present: 4, annotated: 0, notAnnotated: [{ ref, code: 'changed' }] });
  expect(annotations.of(place, ref)).toMatchObject({ labels: ['look'], note: 'Mine.' });
  expect(await copyTo(join(folder(), 'plain.db'), { source })).toMatchObject({
    notKept: expect.arrayContaining([{ what: 'labels and notes', checkpoints: 1 }]),
  });
});

it('with dryRun tells which labels could not be kept, as the copy then does', async () => {
  const base = await seededStore();
  const labels = ['look', 'x'.repeat(61)];
  const source = overlaid(base, {
    meta: async (at) => {
      const meta = await base.meta(at);
      return meta && { ...meta, labels };
    },
  });
  const journal = openJournal({ folder: folder() });
  onTestFinished(() => journal.close());
  const stores = createStoreService({ registry: defaultRegistry() });
  const keepWords = createAnnotationService({ stores, annotations: journal.annotations, readOnly: false }).keep;
  const to = join(folder(), 'copy.db');
  const foretold = await copyTo(to, { source }, { dryRun: true, keepWords });
  const { annotated, notAnnotated } = await copyTo(to, { source }, { keepWords });
  expect(notAnnotated).toHaveLength(4);
  expect(foretold).toMatchObject({ annotated, notAnnotated });
});

it('counts the titles of tasks as not kept', async () => {
  const base = await seededStore();
  const source = overlaid(base, {
    tasks: async (at) => {
      const page = await base.tasks(at);
      const named = page.items.map((task) => (task.id === 'run-1' ? { ...task, title: 'Refund' } : task));
      return { ...page, items: named };
    },
  });
  const { notKept } = await copyTo(join(folder(), 'copy.db'), { source });
  expect(notKept).toEqual([{ what: "the task's title (the copy has its id)", checkpoints: 3 }]);
});

it.each<[string, (path: string) => void]>([
  ['an empty file', (path) => writeFileSync(path, '')],
  ['a database without a table', (path) => tableless(path)],
])('takes %s, as an interrupted copy leaves it, for a new store', async (_, interrupted) => {
  const source = await seededStore();
  const path = join(folder(), 'out.db');
  interrupted(path);
  expect((await copyTo(path, { source }, { dryRun: true })).copied).toBeGreaterThan(0);
  expect(await copyTo(path, { source })).toMatchObject({ conflicts: [], failed: [], unreadable: [] });
  expect(await contentsOf(await reading(path))).toEqual(await contentsOf(source));
});

function tableless(path: string): void {
  const database = openSqlite(path, { readOnly: false, create: true });
  database.pragma('journal_mode = WAL');
  database.pragma('user_version = 0');
  database.close();
  expect(statSync(path).size).toBeGreaterThan(0);
}
