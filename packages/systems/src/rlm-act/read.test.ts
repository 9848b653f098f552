import { bytesRead } from '@checkpoint-inspector/config/measure';
import { storeIdFrom } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { cp, mkdir, open, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createRegistry, foreignSystems } from '../registry.ts';
import { copyOf, fixture, HOME, openRlmAct, temporaryFolder } from './fixtures/open.ts';
import { rlmActSystem } from './index.ts';
import { infoOf } from './info.ts';
import { taskOfFolder } from './names.ts';
import { snapshotOf } from './rows.ts';
import { compareText, millisecondsOf, nextStamp, stampOf } from './stamps.ts';

const options = { label: 'given', location: './given', nameStore: (name: string) => storeIdFrom(name) };

describe('detect', () => {
  it('opens a project, its folder and a file by path alone', async () => {
    for (const name of ['python-new-york', 'go', 'bad'] as const) {
      const folder = await copyOf(name);
      const registry = createRegistry(foreignSystems);
      for (const path of [dirname(folder), folder]) {
        expect((await registry.detect(path)).map((match) => match.system)).toEqual(['rlm-act']);
        const [source] = await registry.open(path, options);
        expect((await source?.tasks())?.items).toMatchObject([{ id: name, title: name, system: 'rlm-act' }]);
      }
      expect((await registry.discover(dirname(dirname(folder)))).map(({ path }) => path)).toEqual([dirname(folder)]);
    }
    const file = join(fixture('go'), '919fa658-85c6-439c-8c09-e644f3c36d2b.json');
    expect(await rlmActSystem.detect({ kind: 'path', path: file, is: 'file' })).toMatchObject({ confidence: 0.9 });
    expect((await rlmActSystem.open({ kind: 'path', path: file, is: 'file' }, options))[0]?.info.indexed.n).toBe(6);
  });

  it('knows its files in a folder of any name, and its own folder when nothing in it can be read', async () => {
    const folder = join(await temporaryFolder(), 'kept');
    await cp(fixture('go'), folder, { recursive: true });
    expect(await rlmActSystem.detect({ kind: 'path', path: folder, is: 'folder' })).toMatchObject({ confidence: 0.95 });
    const home = join(await temporaryFolder(), HOME);
    await mkdir(home);
    expect(await rlmActSystem.detect({ kind: 'path', path: home, is: 'folder' })).toMatchObject({ confidence: 0.5 });
    const [empty] = await rlmActSystem.open({ kind: 'path', path: home, is: 'folder' }, options);
    expect(await empty?.tasks()).toEqual({ items: [] });
    await writeFile(join(home, 'torn.json'), '{');
    expect(await rlmActSystem.detect({ kind: 'path', path: home, is: 'folder' })).toMatchObject({ confidence: 0.6 });
  });

  it('leaves the JSON of others alone', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'package.json'), '{"name": "x"}');
    await writeFile(join(folder, '919fa658-85c6-439c-8c09-e644f3c36d2b.json'), '{"checkpoint_id": "x", "state": {}}');
    await writeFile(join(folder, '00000000-85c6-439c-8c09-e644f3c36d2b.json'), '[]');
    const target = { kind: 'path', path: folder, is: 'folder' } as const;
    expect(await rlmActSystem.detect(target)).toBeUndefined();
    expect(await rlmActSystem.detect({ kind: 'path', path: join(folder, 'package.json'), is: 'file' })).toBeUndefined();
    expect(
      await rlmActSystem.detect({ kind: 'path', path: join(folder, 'package.json'), is: 'folder' }),
    ).toBeUndefined();
    await expect(rlmActSystem.open(target, options)).rejects.toMatchObject({ code: 'no_store' });
  });
});

describe('Python files', () => {
  it('show phases, errors and local times as stored', async () => {
    const source = await openRlmAct(fixture('python-new-york'));
    const [task] = (await source.tasks()).items;
    expect(task).toMatchObject({ checkpointCount: 10, status: 'failed' });
    expect(task).not.toHaveProperty('lastError');
    const metas = (await source.checkpoints('python-new-york')).items;
    const stored = await readFile(
      join(fixture('python-new-york'), 'b805fffe-a626-451d-a4b7-83a170321c11.json'),
      'utf8',
    );
    expect(metas.find((meta) => meta.id.startsWith('b805'))).toMatchObject({
      description: "tdd_planning-failed: [Errno 21] Is a directory: '/x/ü'",
      status: 'failed',
      trigger: 'error',
      stepIndex: 3,
      totalSteps: 6,
      timeBasis: 'local',
      createdAtText: '2026-11-21T08:29:44.791988Z',
      gitCommit: 'e7fb409dd9350645edab96f4a8a50c0e5d080b00',
      sizeBytes: Buffer.byteLength(stored),
      labels: [],
    });
    expect(metas.filter((meta) => meta.createdAt !== undefined || meta.timeBasis !== 'local')).toEqual([]);
    expect(source.info.notes?.join()).toContain('not as UTC');
  });

  it('are two runs, each chained in time order', async () => {
    const source = await openRlmAct(fixture('python-new-york'));
    const rows = await collect(source.lineage('python-new-york'));
    // A checkpoint has one number, wherever it is named.
    const metas = (await source.checkpoints('python-new-york')).items;
    expect(Object.fromEntries(rows.map(({ id, stepIndex }) => [id, stepIndex]))).toEqual(
      Object.fromEntries(metas.map(({ id, stepIndex }) => [id, stepIndex])),
    );
    expect(
      rows.map(({ description, parent, kind }) => [description?.split(':')[0], parent?.id.slice(0, 4), kind]),
    ).toEqual([
      ['research-complete', undefined, 'none'],
      ['decomposition-complete', '4e0c', 'inferred'],
      ['tdd_planning-failed', '37f9', 'inferred'],
      ['tdd_planning-complete', 'b805', 'inferred'],
      ['multi_doc-complete', '68de', 'inferred'],
      ['beads_sync-failed', 'bec1', 'inferred'],
      ['beads_sync-complete', '067c', 'inferred'],
      ['implementation-complete', '8e17', 'inferred'],
      ['research-complete', undefined, 'none'],
      ['decomposition-failed', 'eb56', 'inferred'],
    ]);
    expect(rows.filter((row) => row.time !== undefined)).toEqual([]);
  });

  it('say what the whole pipeline waits for', async () => {
    const folder = await copyOf('python-new-york');
    const source = await openRlmAct(folder);
    const statusNow = async () => (await source.tasks()).items[0]?.status;
    await rm(join(folder, 'd52fa138-e9aa-4a58-9e78-bf3fab013661.json'));
    expect(await statusNow()).toBe('pending');
    await rm(join(folder, 'eb560e17-0dc9-485b-a1a2-e67ee323ef33.json'));
    expect(await statusNow()).toBe('completed');
    await writeFile(join(folder, 'z.json'), '{"phase": "research-skipped", "timestamp": "2027"}');
    expect(await statusNow()).toBe('pending');
    await writeFile(join(folder, 'zz.json'), '{"phase": "other", "timestamp": "2028", "errors": ["", "a", "b"]}');
    expect((await source.tasks()).items[0]).toMatchObject({ status: 'unknown', lastError: 'a\nb' });
  });
});

describe('the time of a task with local times only', () => {
  it.each([
    ['the newest of its files', '2026-11-21T13:29:44.834Z', '2026-11-21T13:29:44.834Z'],
    ['as far east as a clock can be', '2026-11-20T18:30:00.000Z', '2026-11-20T18:30:00.000Z'],
    ['as far west', '2026-11-21T20:29:00.000Z', '2026-11-21T20:29:00.000Z'],
    ['none where the files are of a later copy', '2026-11-27T20:26:48.000Z', undefined],
    ['none where they are older than any clock allows', '2026-11-20T18:20:00.000Z', undefined],
  ])('is %s', async (_, writtenAt, updatedAt) => {
    const folder = await copyOf('python-new-york');
    const time = new Date(writtenAt);
    for (const name of await readdir(folder)) await utimes(join(folder, name), time, time);
    expect((await (await openRlmAct(folder)).tasks()).items[0]?.updatedAt).toBe(updatedAt);
  });

  it('is that of the files that were not written again', async () => {
    const folder = await copyOf('python-new-york');
    const [edited, ...others] = await readdir(folder);
    const [then, later] = [new Date('2026-11-21T13:29:44.000Z'), new Date('2026-12-01T00:00:00.000Z')];
    for (const name of others) await utimes(join(folder, name), then, then);
    await utimes(join(folder, edited ?? ''), later, later);
    expect((await (await openRlmAct(folder)).tasks()).items[0]?.updatedAt).toBe('2026-11-21T13:29:44.000Z');
  });
});

describe('Go files', () => {
  it('are in UTC, and a tie is told', async () => {
    const source = await openRlmAct(fixture('go'));
    const metas = (await source.checkpoints('go')).items;
    expect(new Set(metas.map((meta) => meta.timeBasis))).toEqual(new Set(['utc']));
    expect(metas[0]).toMatchObject({ createdAt: '2026-11-21T13:29:43.000Z', createdAtText: '2026-11-21T13:29:43Z' });
    expect(metas.map((meta) => meta.id.slice(0, 4))).toEqual(['6180', '919f', 'cf25', '4621', '7405', '0863']);
    const latest = await source.latest('go');
    expect(latest).toMatchObject({ basis: 'tie', ref: { id: '6180342f-8609-4cc6-ad96-8a43db79a994' } });
    expect(latest.note).toContain('3 checkpoints have exactly this timestamp');
    expect(latest.note).toContain('phase_results.decomposition has no phase_type');
    expect((await source.tasks()).items[0]).toMatchObject({ updatedAt: '2026-11-21T13:29:43.000Z' });
  });

  it('are only taken for UTC where that is sure', async () => {
    const folder = await temporaryFolder();
    const basisOf = async (timestamp: string, state: string) => {
      await writeFile(join(folder, 'x.json'), `{"timestamp": "${timestamp}", "state": ${state}}`);
      const source = await openRlmAct(folder);
      return (await source.checkpoints((await source.tasks()).items[0]?.id ?? '')).items[0]?.timeBasis;
    };
    const sorted = '{"autonomy_mode": "batch", "project_path": "/p"}';
    expect(await basisOf('2026-11-21T13:29:43Z', sorted)).toBe('utc');
    expect(await basisOf('2026-11-21T13:29:43Z', 'null')).toBe('utc');
    expect(await basisOf('2026-11-21T13:29:43Z', '{"project_path": "/p", "autonomy_mode": "batch"}')).toBe('local');
    expect(await basisOf('2026-11-21T13:29:43Z', '{"a": 1}')).toBe('local');
    expect(await basisOf('2026-11-21T13:29:43.1Z', sorted)).toBe('local');
    expect(await basisOf('2026-02-31T13:29:43Z', sorted)).toBe('local');
    expect(await basisOf('', sorted)).toBe('file');
  });
});

describe('the latest', () => {
  it('follows the string order of the pipeline, not the time that is meant', async () => {
    const folder = await temporaryFolder();
    const source = await openRlmAct(folder);
    const save = (id: string, timestamp: string) =>
      writeFile(join(folder, `${id}.json`), JSON.stringify({ id, timestamp, state: {} }));
    await save('b', '2026-01-01T00:00:43.900000Z');
    await save('a', '2026-01-01T00:00:43Z');
    const task = (await source.tasks()).items[0]?.id ?? '';
    expect((await source.latest(task)).ref?.id).toBe('a');
    await save('c', '2026-01-01T05:00:43+09:00');
    expect((await source.latest(task)).ref?.id).toBe('c');
    await writeFile(join(folder, 'd.json'), '{"id": "d", "state": {}}');
    const list = (await source.checkpoints(task)).items.map((meta) => meta.id);
    expect(list).toEqual(['c', 'a', 'b', 'd']);
  });

  it('does not follow the clock on the disk (S65)', async () => {
    const folder = await copyOf('python-new-york');
    const source = await openRlmAct(folder);
    const before = await source.latest('python-new-york');
    const old = join(folder, '4e0cade5-b4fe-4bfb-bfd7-16444fd0e80f.json');
    await utimes(old, new Date('2030-01-01'), new Date('2030-01-01'));
    expect(await source.latest('python-new-york')).toEqual(before);
  });
});

describe('bad files', () => {
  it('are listed as rows with reason, offset and what the pipeline does with them', async () => {
    const source = await openRlmAct(fixture('bad'));
    const metas = (await source.checkpoints('bad')).items;
    const problems = Object.fromEntries(metas.flatMap(({ id, problem }) => (problem ? [[id, problem]] : [])));
    expect(Object.keys(problems).toSorted()).toEqual([
      'array',
      'bom',
      'empty',
      'null-time',
      'number-time',
      'torn',
      'utf8',
    ]);
    const stored = await readFile(join(fixture('bad'), 'number-time.json'), 'utf8');
    expect(problems['number-time']).toMatchObject({ offset: stored.indexOf('1773480713') });
    expect(problems['number-time']?.message).toContain('resume and status fail with a TypeError');
    expect(problems['array']).toMatchObject({ offset: 0, message: expect.stringContaining('TypeError') });
    expect(problems['null-time']?.message).toContain("The timestamp null isn't text");
    const utf8 = await readFile(join(fixture('bad'), 'utf8.json'));
    expect(problems['utf8']).toMatchObject({ offset: utf8.indexOf(0xff) });
    expect(problems['utf8']?.message).toContain('UnicodeDecodeError');
    expect(problems['torn']).toMatchObject({ offset: 150, message: expect.stringContaining('skips this file') });
    expect(problems['bom']).toMatchObject({ offset: 0, message: expect.stringContaining('skips this file') });
    const { note } = await source.latest('bad');
    expect(note).toContain('resume and status fail while this is in the folder: ');
    expect(source.info.notes?.join('\n')).toMatch(/array\.json.*\n.*skips what it can't read.*torn\.json/s);
    expect((await source.tasks()).items[0]?.latestNote).toBe(note);
  });

  it('do not hide the good ones, which keep their oddities', async () => {
    const source = await openRlmAct(fixture('bad'));
    const metas = (await source.checkpoints('bad')).items.filter((meta) => !meta.problem);
    expect(metas.map((meta) => [meta.id.slice(-5), meta.labels])).toEqual([
      ['exact', []],
      ['0good', []],
      ['state', ["Python can't load it: it has no state"]],
      ['-time', ['its id is other-id, not its file name']],
    ]);
    expect(metas[0]).toMatchObject({ description: 'decomposition-failed: exit 1', trigger: 'error' });
    expect(metas.at(-1)).toMatchObject({ timeBasis: 'file', createdAt: expect.stringMatching(/Z$/) });
    const state = await source.state({ task: 'bad', id: '00000000-0000-4000-8000-0000000exact' });
    expect(state?.text).toBe(await readFile(join(fixture('bad'), '00000000-0000-4000-8000-0000000exact.json'), 'utf8'));
  });

  it('that are links, folders or too deep harm nobody (S22, S31)', async () => {
    const folder = await copyOf('go');
    await symlink(join(folder, '..', 'outside'), join(folder, 'link.json'));
    await mkdir(join(folder, 'folder.json'));
    await writeFile(join(folder, 'deep.json'), '['.repeat(200_000));
    await writeFile(
      join(folder, 'deep-closed.json'),
      `{"timestamp": "1", "state": ${'['.repeat(2e5)}${']'.repeat(2e5)}}`,
    );
    const source = await openRlmAct(folder);
    const read = await bytesRead(async () => {
      const bad = (await source.checkpoints('go')).items.filter((meta) => meta.problem);
      expect(bad.map((meta) => meta.id).toSorted()).toEqual(['deep', 'link']);
    });
    // 600 kB lie there; nothing is read over and over again.
    expect(read).toBeLessThan(4_000_000);
    const link = { task: 'go', id: 'link' };
    await expect(source.raw(link)).rejects.toMatchObject({ code: 'unreadable' });
    await expect(source.state(link)).rejects.toMatchObject({ code: 'unreadable' });
    expect((await source.latest('go')).note).toContain("it can't be read here: link.json");
    expect((await source.state({ task: 'go', id: 'deep-closed' }))?.text).toHaveLength(400_029);
    for (const id of ['../go/x', '..', '/etc/passwd', 'LINK', '__proto__', '', 'a\0b', 'x'.repeat(300), '..%2fx']) {
      expect([await source.raw({ task: 'go', id }), await source.find(id)]).toEqual([undefined, []]);
    }
    expect(
      await source.raw({ task: 'go', namespace: 'x', id: '919fa658-85c6-439c-8c09-e644f3c36d2b' }),
    ).toBeUndefined();
  });

  it('of 2 GiB are not read (S45)', async () => {
    const folder = await copyOf('go');
    const huge = await open(join(folder, 'huge.json'), 'w');
    await huge.truncate(2 ** 31);
    await huge.close();
    const source = await openRlmAct(folder);
    const read = await bytesRead(async () => {
      const row = (await source.checkpoints('go')).items.find((meta) => meta.id === 'huge');
      expect(row).toMatchObject({ sizeBytes: 2 ** 31, problem: { code: 'too_large' } });
    });
    expect(read).toBeLessThan(4_000_000);
    await expect(source.raw({ task: 'go', id: 'huge' })).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('a folder that changes', () => {
  it('removed while open is a named error, and back it reads again', async () => {
    const folder = await copyOf('go');
    const source = await openRlmAct(folder);
    await rename(folder, `${folder}.away`);
    await expect(source.tasks()).rejects.toMatchObject({ code: 'not_found' });
    await expect(source.state({ task: 'go', id: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await rename(`${folder}.away`, folder);
    expect((await source.tasks()).items[0]?.checkpointCount).toBe(6);
  });

  it('continues with its pages when the last row of one is gone', async () => {
    const folder = await copyOf('python-new-york');
    const source = await openRlmAct(folder);
    const first = await source.checkpoints('python-new-york', { limit: 2 });
    await rm(join(folder, `${first.items[1]?.id}.json`));
    const next = await source.checkpoints('python-new-york', { limit: 1, cursor: first.cursor ?? '' });
    expect(next.items[0]?.description).toBe('implementation-complete');
    const gone = { task: 'python-new-york', id: first.items[1]?.id ?? '' };
    await expect(source.checkpoints('python-new-york', { around: gone })).rejects.toMatchObject({ code: 'not_found' });
    const empty = Buffer.from('["","0","",""]').toString('base64url');
    expect(await source.checkpoints('python-new-york', { cursor: empty })).toEqual({ items: [] });
  });

  it('tells its watcher', async () => {
    const folder = await copyOf('go');
    const source = await openRlmAct(folder);
    const seen = vi.fn();
    const unwatch = source.watch(seen);
    await writeFile(join(folder, 'new.json'), '{}');
    await vi.waitFor(() => expect(seen).toHaveBeenCalledWith({}), { timeout: 10_000 });
    unwatch();
    expect((await source.tasks()).items[0]?.checkpointCount).toBe(7);
  });
});

it('offers no change of a folder that this user may not write', () => {
  const snapshot = snapshotOf('t', []);
  const { capabilities } = infoOf({ id: storeIdFrom('x'), label: 'x', location: 'x', identity: '/x' }, snapshot, false);
  const reason = "This user doesn't have permission to write to the folder.";
  expect(capabilities).toMatchObject({
    restore: reason,
    delete: reason,
    fork: expect.stringContaining('Restore instead'),
  });
  expect([taskOfFolder('/'), taskOfFolder('/p/.rlm-act-checkpoints'), taskOfFolder('/p/kept')]).toEqual([
    '/',
    'p',
    'kept',
  ]);
});

describe('timestamps', () => {
  it('have a next one of the same form that sorts later', () => {
    const next = {
      '2026-11-21T08:29:44.783892Z': '2026-11-21T08:29:44.783893Z',
      '2026-11-21T08:29:59.999999Z': '2026-11-21T08:30:00.000000Z',
      '2026-11-21T13:29:43Z': '2026-11-21T13:29:44Z',
      '2026-12-31T23:59:59': '2027-01-01T00:00:00',
      '2026-11-21T08:29:44.123+09:00': '2026-11-21T08:29:44.124+09:00',
      '2026-11-21T08:29:44.0099Z': '2026-11-21T08:29:44.0100Z',
    };
    for (const [text, later] of Object.entries(next)) {
      expect(nextStamp(text)).toBe(later);
      expect(compareText(later, text)).toBeGreaterThan(0);
    }
    for (const text of ['', 'now', '9999-12-31T23:59:59.999999Z', '2026-99-99T99:99:99Z', '2026-11-21 08:29:44Z']) {
      expect(nextStamp(text)).toBeUndefined();
    }
  });

  it('are compared by code points and read with their zone', () => {
    expect(compareText('\u{1F98A}', '\uFFFD')).toBeGreaterThan(0);
    expect(compareText('a', 'a')).toBe(0);
    expect(millisecondsOf('2026-11-21T08:29:44.5Z')).toBe(Date.UTC(2026, 10, 21, 8, 29, 44, 500));
    expect(millisecondsOf('2026-11-21T08:29:44+09:00')).toBe(Date.UTC(2026, 10, 20, 23, 29, 44));
    for (const text of ['', '2026-11-21T08:29:44', '2026-02-31T00:00:00Z', '2026-11-21T24:00:00Z', '2026-11-21']) {
      expect(millisecondsOf(text)).toBeUndefined();
    }
    expect(stampOf(new Date('2026-11-21T08:29:44.5Z'))).toBe('2026-11-21T08:29:44.500000Z');
  });
});
