import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkTree, storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { collect, describeSystem } from '@checkpoint-inspector/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRegistry, foreignSystems } from '../registry.ts';
import { bundleSystem } from './index.ts';

const FIXTURE = join(import.meta.dirname, 'fixtures/langgraph.json');
const registry = createRegistry(foreignSystems);
const folder = () => mkdtemp(join(tmpdir(), 'bundle-'));

const openAt = (path: string): Promise<CheckpointSource[]> =>
  registry.open(path, { label: 'case', location: path, nameStore: () => storeId('case') });

async function open(text: string): Promise<CheckpointSource> {
  const path = join(await folder(), 'case.json');
  onTestFinished(() => rm(join(path, '..'), { recursive: true }));
  await writeFile(path, text);
  const [source] = await openAt(path);
  if (source === undefined) throw new Error('The bundle did not open.');
  return source;
}

const threads = {
  withSubgraph: 'e711d342-5dfe-4452-be95-7b399c1f3e4a',
  counter: '2d6d158a-ee7d-4f8f-aead-088f993d8ec4',
};

/** Of tasks without checkpoints. */
const MINIMAL = (tasks: number): string => {
  const store = { label: 'x', system: 'native', latestRule: 'r', volatilePaths: [] };
  const head = { format: 'checkpoint-inspector/bundle', version: 1, redacted: true, store, masked: [], leftOut: [] };
  return JSON.stringify({
    ...head,
    tasks: Array.from({ length: tasks }, (_, at) => ({ task: { id: `t${at}` }, checkpoints: [] })),
  });
};

describeSystem('bundle', {
  open: async () => {
    const path = join(await folder(), 'langgraph.json');
    await copyFile(FIXTURE, path);
    return {
      sources: await openAt(path),
      bytes: () => readFile(path),
      teardown: () => rm(join(path, '..'), { recursive: true }),
    };
  },
  facts: [
    {
      tasks: [
        { id: threads.withSubgraph, checkpoints: 6, latest: '1f1e5b1f-9e87-6810-8001-2bca4be6982c' },
        { id: '84249bca-5098-4056-93af-ed083c9eb145', checkpoints: 3, latest: '1f1e5b1f-9857-6080-8001-16cb10866116' },
        { id: 'ac554120-6320-4f1c-aeee-4eef77c78a43', checkpoints: 7, latest: '1f1e5b1f-9232-6c40-8005-420d4e44d340' },
        { id: threads.counter, checkpoints: 21, latest: '1f1e5b1f-8baa-6671-800d-5709e726b299' },
      ],
    },
  ],
});

it('says what it comes from, who made it and when, and what is masked or left out', async () => {
  const source = await open(readFileSync(FIXTURE, 'utf8'));
  expect(source.info).toMatchObject({ system: 'langgraph', volatilePaths: expect.arrayContaining(['$.__start__']) });
  expect(source.info.notes?.[0]).toMatch(
    /^A bundle of ".+" \(langgraph\), made on 2026-11-23 by checkpoint-inspector 0\.1\.0\.$/,
  );
  expect(source.info.notes?.[1]).toBe('No known kinds of secrets were found in it.');
  expect(source.info.capabilities.restore).toContain('import');
  const other = await open(bundleOf([], { redacted: true, masked: [{ name: 'AWS key', count: 2 }], leftOut: ['So.'] }));
  expect(other.info.notes?.slice(1)).toEqual(['Masked when it was made: 2 × AWS key.', 'So.']);
});

it('reads a bundle that was formatted, with sorted keys, behind a link', async () => {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toSorted()
              .map(([key, one]) => [key, sorted(one)]),
          )
        : value;
  const path = join(await folder(), 'case.json');
  onTestFinished(() => rm(join(path, '..'), { recursive: true }));
  await writeFile(path, JSON.stringify(sorted(JSON.parse(readFileSync(FIXTURE, 'utf8'))), null, 4));
  await symlink(path, `${path}.link`);
  const [[source], [original]] = [await openAt(`${path}.link`), await openAt(FIXTURE)];
  const ref = { task: threads.counter, id: '1f1e5b1f-8baa-6671-800d-5709e726b299' };
  expect(await source?.state(ref)).toEqual(await original?.state(ref));
  expect((await source?.tasks())?.items).toEqual((await original?.tasks())?.items);
});

const item = (id: string, more: object = {}, state: object = { text: '{"n":1.0}', hash: 'x', redacted: false }) => ({
  meta: { id, seq: 1, status: 'completed', lineage: 'recorded', labels: [], sizeBytes: 9, ...more },
  state,
});

const bundleOf = (checkpoints: readonly unknown[], more: object = {}): string =>
  JSON.stringify({
    format: 'checkpoint-inspector/bundle',
    version: 1,
    redacted: true,
    store: { label: 'prod', system: 'langgraph', latestRule: 'newest', volatilePaths: ['$.ok', 'no path ['] },
    tasks: [{ task: { id: 't', title: 't' }, checkpoints }],
    ...more,
  });

const listOf = async (source: CheckpointSource) =>
  (await source.checkpoints('t')).items.map(({ id, problem }) => [id, problem?.code, problem?.message]);

describe('a bundle that nobody should have made', () => {
  it('of another version, or of another format, is named', async () => {
    await expect(open(bundleOf([], { version: 2 }))).rejects.toMatchObject({
      code: 'unsupported_version',
      message: expect.stringContaining('version 2'),
    });
    await expect(open(bundleOf([], { version: 'ü' }))).rejects.toMatchObject({ code: 'unsupported_version' });
    const other = { kind: 'path', path: join(import.meta.dirname, 'index.ts'), is: 'file' } as const;
    expect(await bundleSystem.detect(other)).toBeUndefined();
    await expect(bundleSystem.open(other, { label: '', location: '', nameStore: storeId })).rejects.toMatchObject({
      code: 'no_store',
    });
  });

  it('cut off anywhere is unreadable, and never half a store', async () => {
    const text = bundleOf([item('a'), item('b')]);
    for (let at = 60; at < text.length; at += 29)
      await expect(open(text.slice(0, at))).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('with a checkpoint twice and two without an id lists each with its reason', async () => {
    const source = await open(bundleOf([item('a'), item('a'), { meta: {} }, 7, item('#2'), item('z', {}, {})]));
    expect(await listOf(source)).toEqual([
      ['z', 'unreadable', "Its state isn't in the bundle."],
      ['#5', 'unreadable', '"#2" is in the bundle twice; this is the second.'],
      ['#4', 'unreadable', "It isn't a checkpoint: it has no id."],
      ['#3', 'unreadable', "It isn't a checkpoint: it has no id."],
      ['#2', 'unreadable', '"a" is in the bundle twice; this is the second.'],
      ['a', undefined, undefined],
    ]);
    const raw = await source.raw?.({ task: 't', id: 'a' });
    expect(new TextDecoder().decode(raw)).toBe('{"n":1.0}');
    expect(new TextDecoder().decode(await source.raw?.({ task: 't', id: 'z' }))).toContain('"id":"z"');
    await expect(source.state({ task: 't', id: '#3' })).rejects.toMatchObject({ code: 'unreadable' });
    expect((await source.tasks()).items).toMatchObject([{ checkpointCount: 6, unreadable: 5, latestId: 'a' }]);
  });

  it('with the same task twice is one task', async () => {
    const task = (id: string) => ({ task: { id: 't' }, checkpoints: [item(id)] });
    const source = await open(bundleOf([], { tasks: [task('a'), task('b'), task('a')] }));
    expect((await listOf(source)).map(([id]) => id)).toEqual(['#3', 'b', 'a']);
  });

  it('whose parents go round in circles has a tree', async () => {
    const parent = (id: string) => ({ task: 't', id });
    const source = await open(
      bundleOf([
        { ...item('a'), parent: parent('c') },
        { ...item('b'), parent: parent('a') },
        { ...item('c'), parent: parent('b') },
        { ...item('d'), parent: parent('d') },
      ]),
    );
    const tree = forkTree('t', await collect(source.lineage('t')));
    expect(tree.nodes.filter(({ problem }) => problem === 'cycle').length).toBeGreaterThan(0);
    expect(tree.nodes).toHaveLength(4);
  });

  it('with values of other types takes none of them', async () => {
    const wrong = {
      seq: -1,
      status: 'gone',
      trigger: {},
      labels: 'x',
      stepIndex: '1',
      createdAt: 'soon',
      namespace: 5,
    };
    const beside = {
      requests: 'x',
      writes: [{ taskId: 't', channel: 'c', text: 'not JSON' }, 7],
      errors: [{}],
      next: 1,
    };
    const source = await open(
      bundleOf([{ ...item('a', { ...wrong, timeBasis: 'utc' }), parent: 'p', beside, note: 1 }]),
    );
    const { items } = await source.checkpoints('t');
    expect(items).toEqual([
      {
        store: 'case',
        id: 'a',
        taskId: 't',
        lineage: 'none',
        seq: 1,
        timeBasis: 'none',
        status: 'unknown',
        labels: [],
        sizeBytes: 9,
        isLatest: true,
      },
    ]);
    expect(await source.beside?.({ task: 't', id: 'a' })).toEqual({
      requests: [],
      writes: [{ taskId: 't', channel: 'c', sizeBytes: 0, problem: "It isn't in the bundle." }],
    });
    expect(source.info.volatilePaths).toEqual(['$.ok']);
  });

  it('that is very deep is read, and its deep state too', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const source = await open(bundleOf([item('a', {}, { text: deep, hash: '', redacted: true })], { x: [[[]]] }));
    expect((await source.state({ task: 't', id: 'a' }))?.text).toBe(deep);
    const nested = `{"a":${'{"b":'.repeat(100_000)}1${'}'.repeat(100_000)},`;
    await open(nested.slice(0, -1).replace('{', `${bundleOf([]).slice(0, -1)},`) + '}').catch((error: unknown) =>
      expect(error).toMatchObject({ name: 'InspectorError' }),
    );
  });

  it('with a damaged state, or another one than its hash says, tells', async () => {
    const source = await open(bundleOf([item('a', {}, { text: '{"n":', hash: 'x', redacted: false }), item('b')]));
    expect(await listOf(source)).toEqual([
      ['b', undefined, undefined],
      ['a', 'unreadable', "Its state isn't valid JSON."],
    ]);
    const { revision, sha256 } = (await source.state({ task: 't', id: 'b' })) ?? {};
    expect([revision?.length, sha256]).toEqual([64, 'x']);
  });
});

it('a task whose latest has no state in the bundle names it', async () => {
  const tasks = [
    { task: { id: 't', latestId: 'b' }, checkpoints: [item('a'), item('b', {}, { missing: 'Too large.' })] },
  ];
  const [task] = (await (await open(bundleOf([], { tasks }))).tasks()).items;
  expect(task).toMatchObject({
    latestId: 'a',
    latestNote: `The latest of this task, "b", isn't in the bundle with its state.`,
  });
});

it('a bundle that is written over while it is open is unreadable from then on', async () => {
  const path = join(await folder(), 'case.json');
  onTestFinished(() => rm(join(path, '..'), { recursive: true }));
  await writeFile(path, bundleOf([item('a')]));
  const [source] = await openAt(path);
  expect((await source?.state({ task: 't', id: 'a' }))?.text).toBe('{"n":1.0}');
  await writeFile(path, 'x');
  await expect(source?.state({ task: 't', id: 'a' })).rejects.toMatchObject({ code: 'unreadable' });
});

it('opens a bundle that begins with a byte order mark', async () => {
  const [plain, marked] = await Promise.all([open(MINIMAL(2)), open(`\uFEFF${MINIMAL(2)}`)]);
  expect((await marked.tasks()).items).toEqual((await plain.tasks()).items);
  expect((await marked.tasks()).items).toHaveLength(2);
});

it('refuses more tasks than it counts, also where they are empty', async () => {
  await expect(open(MINIMAL(100_001))).rejects.toMatchObject({ code: 'too_large' });
});
