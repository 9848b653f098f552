import { isChangeable, sha256Hex, type SystemRequest } from '@checkpoint-inspector/core';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOf, filesIn, fixture, openFolder } from './fixtures/open.ts';
import { codeOf, codes, run, storeOf, textOf, undo, written } from './fixtures/plans.ts';
import { pickled, pythonFile, pythonLatest } from './fixtures/python.ts';
import type { AgentFrameworkSource } from './read.ts';

const FLOW = 'counter-flow';
const SOURCE = { task: FLOW, id: 'ba27aec7-6203-483a-9a90-4715a3bf7e95' };
const LATEST = { task: FLOW, id: '4d9ca74c-a28f-4aa7-82ba-22aedf4f0eda' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('restore', () => {
  it('writes the same text with three tokens replaced, which is then the latest by the written rule', async () => {
    const folder = await copyOf('counter-forks');
    await chmod(join(folder, `${SOURCE.id}.json`), 0o640);
    const source = await openFolder(folder);
    const before = await readFile(join(folder, `${SOURCE.id}.json`), 'utf8');
    const all = await filesIn(folder);
    const plan = await source.plan({ kind: 'restore', ref: SOURCE });
    const copy = written(plan);
    expect(copy.id).toMatch(UUID);
    const images = await run(plan);
    const after = await readFile(join(folder, `${copy.id}.json`), 'utf8');
    expect(after).toBe(
      before
        .replace(`"checkpoint_id": "${SOURCE.id}"`, `"checkpoint_id": "${copy.id}"`)
        .replace('"2dcf49fa-5fae-4ea1-9ef8-122eabbc6a5c"', `"${SOURCE.id}"`)
        .replace('"2026-11-21T13:25:29.616054+00:00"', '"2026-11-21T14:00:00+00:00"'),
    );
    expect(after.endsWith('}')).toBe(true);
    expect((await stat(join(folder, `${copy.id}.json`))).mode & 0o777).toBe(0o640);
    expect(await pythonLatest(folder, FLOW)).toBe(copy.id);
    expect(await source.latest(FLOW)).toEqual({ ref: copy, basis: 'rule' });
    expect(plan.view).toMatchObject({
      latestBefore: { ref: LATEST },
      latestAfter: copy,
      proofHash: await sha256Hex(after),
      next: `await workflow.run(checkpoint_id="${copy.id}")`,
      warnings: [],
      evicts: { count: 0 },
      preconditions: [
        { kind: 'head', task: FLOW, ref: LATEST },
        { kind: 'revision', ref: SOURCE, revision: await sha256Hex(before) },
        { kind: 'absent', ref: copy },
      ],
    });
    expect(plan.view.sidecar).toBeUndefined();
    expect((await source.checkpoints(FLOW)).items[0]).toMatchObject({
      parentId: SOURCE.id,
      lineage: 'recorded',
      seq: 17,
    });
    await undo(plan, images);
    expect(await filesIn(folder)).toEqual(all);
  });

  it('of a paused checkpoint says that the request is asked again, and which types must be allowed', async () => {
    const folder = await copyOf('hitl');
    const source = await openFolder(folder);
    const ref = { task: 'release-notes', id: 'becd2ecf-44c9-443f-b80a-fcb507f8c83b' };
    const plan = await source.plan({ kind: 'restore', ref });
    expect(codes(plan)).toEqual(['types_not_allowed', 'interrupt_asked_again']);
    await run(plan);
    expect(await pythonLatest(folder, 'release-notes')).toBe(written(plan).id);
    expect((await source.checkpoints('release-notes')).items[0]?.status).toBe('interrupted');
    expect((await source.latest('release-notes')).note).toContain('demo_flows:ApprovalRequest');
  });

  it('is newer than a clock that is behind, and keeps odd values byte for byte', async () => {
    const folder = await copyOf('bad');
    const source = await openFolder(folder, new Date('2020-01-01T00:00:00Z'));
    const ref = { task: 'bad-flow', id: 'exact' };
    const plan = await source.plan({ kind: 'restore', ref });
    await run(plan);
    const [before, after] = [await textOf(source, ref), await textOf(source, written(plan))];
    expect(after).toContain('"timestamp": "2026-03-14T09:00:01.000002+00:00"');
    expect(after.slice(after.indexOf('"messages"'))).toBe(before.slice(before.indexOf('"messages"')));
    expect(after).toContain('"big": 12345678901234567890');
  });

  it('keeps times without an offset where there are only such, and warns where they are mixed', async () => {
    const naive = await storeOf({ id: 'a', timestamp: '2026-03-14T09:00:00' });
    const plan = await naive.source.plan({ kind: 'restore', ref: { task: 'flow', id: 'a' } });
    expect(codes(plan)).toEqual([]);
    await run(plan);
    expect(await textOf(naive.source, written(plan))).toContain('"timestamp": "2026-11-21T14:00:00"');
    const mixed = await storeOf({ id: 'a', timestamp: '2026-03-14T09:00:00' }, { id: 'b' });
    const second = await mixed.source.plan({ kind: 'restore', ref: { task: 'flow', id: 'a' } });
    expect(codes(second)).toEqual(['mixed_times']);
  });

  it('names the executors by which the graph has changed', async () => {
    const executors = (...ids: string[]) => ({ _executor_state: Object.fromEntries(ids.map((id) => [id, {}])) });
    const { source } = await storeOf(
      { id: 'old', state: executors('writer', 'reviewer'), signature: 'b'.repeat(64) },
      { id: 'same', timestamp: '2026-03-14T10:00:00+00:00' },
      { id: 'new', timestamp: '2026-03-14T11:00:00+00:00', state: executors('writer', 'editor') },
    );
    const restore = (id: string) => source.plan({ kind: 'restore', ref: { task: 'flow', id } });
    const changed = await restore('old');
    expect(codes(changed)).toEqual(['graph_changed']);
    expect(changed.view.warnings[0]?.message).toContain(
      'only in this checkpoint: reviewer; only in the latest: editor',
    );
    expect(codes(await restore('same'))).toEqual([]);
    const silent = await storeOf(
      { id: 'old', signature: 'b'.repeat(64) },
      { id: 'new', timestamp: '2026-03-14T11:00:00+00:00' },
    );
    const plan = await silent.source.plan({ kind: 'restore', ref: { task: 'flow', id: 'old' } });
    expect(plan.view.warnings[0]?.message).toContain("don't record which executors differ");
  });

  it('warns about keys that Python does not know, and about a workflow that is at work', async () => {
    const { folder, source } = await storeOf({ id: 'a', extra: { labels: [] } });
    await writeFile(join(folder, 'b.json'), pythonFile({ id: 'b', messages: { writer: [] } }));
    const now = new Date('2026-11-21T14:00:00.000Z');
    const age = (ms: number) => utimes(join(folder, 'b.json'), now, new Date(now.getTime() - ms));
    const plan = async () => codes(await source.plan({ kind: 'restore', ref: { task: 'flow', id: 'a' } }));
    await age(1000);
    expect(await plan()).toEqual(['not_loaded', 'agent_active']);
    await age(61_000);
    expect(await plan()).toEqual(['not_loaded']);
    await age(-1000);
    expect(await plan()).toEqual(['not_loaded']);
    const own = await source.plan({ kind: 'restore', ref: { task: 'flow', id: 'b' } });
    expect(codes(own)).toEqual([]);
  });

  it('is refused with the reason: older formats, unreadable files, another workflow, nothing there', async () => {
    const plan = async (source: AgentFrameworkSource, request: SystemRequest) => codeOf(source.plan(request));
    const old = await copyOf('legacy-2025-09');
    await writeFile(join(old, 'new.json'), pythonFile({ id: 'new' }));
    const mixed = await openFolder(old);
    expect(mixed.info.capabilities.restore).toBe(true);
    const legacy = { task: 'wf-9e2a', id: 'ddeae454-0386-4e1a-b0bd-2ccf063d9c28' };
    await expect(mixed.plan({ kind: 'restore', ref: legacy })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('older format'),
    });
    const bad = await openFolder(fixture('bad'));
    expect(await plan(bad, { kind: 'restore', ref: { task: 'bad-flow', id: 'numtime' } })).toBe('unsupported');
    expect(await plan(bad, { kind: 'restore', ref: { task: 'unassigned files', id: 'torn.json' } })).toBe(
      'unsupported',
    );
    const real = await openFolder(fixture('counter-forks'));
    expect(await plan(real, { kind: 'restore', ref: SOURCE, targetTask: 'other' })).toBe('unsupported');
    expect(await plan(real, { kind: 'restore', ref: { ...SOURCE, id: 'none' } })).toBe('not_found');
    expect(isChangeable(real)).toBe(true);
  });
});

describe('fork', () => {
  it('keeps the time, so the head stays, and is resumed by its id', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    const plan = await source.plan({ kind: 'fork', ref: SOURCE, id: 'my-fork_1' });
    expect(codes(plan)).toEqual(['fork_not_latest']);
    const images = await run(plan);
    expect(await textOf(source, written(plan))).toBe(
      (await textOf(source, SOURCE))
        .replace(`"checkpoint_id": "${SOURCE.id}"`, '"checkpoint_id": "my-fork_1"')
        .replace('"2dcf49fa-5fae-4ea1-9ef8-122eabbc6a5c"', `"${SOURCE.id}"`),
    );
    expect(plan.view).toMatchObject({ latestAfter: LATEST, next: 'await workflow.run(checkpoint_id="my-fork_1")' });
    expect(await pythonLatest(folder, FLOW)).toBe(LATEST.id);
    await undo(plan, images);
    expect(await readdir(folder)).toHaveLength(20);
  });

  it('of the latest is a tie, and reports it', async () => {
    const source = await openFolder(await copyOf('counter-forks'));
    expect(codes(await source.plan({ kind: 'fork', ref: LATEST }))).toEqual(['tie']);
  });

  it('into a workflow of its own patches the name too, in ASCII', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    const task = '../поток "x"';
    const plan = await source.plan({ kind: 'fork', ref: SOURCE, targetTask: task });
    expect(plan.view).toMatchObject({
      targetTask: task,
      latestAfter: written(plan),
      latestBefore: { basis: 'none' },
      warnings: [],
    });
    await run(plan);
    expect(await textOf(source, written(plan))).toContain(
      '"workflow_name": "../\\u043f\\u043e\\u0442\\u043e\\u043a \\"x\\""',
    );
    expect(await pythonLatest(folder, task)).toBe(written(plan).id);
    expect((await source.checkpoints(task)).items[0]).toMatchObject({ parentId: SOURCE.id, parentTaskId: FLOW });
    expect(await codeOf(source.plan({ kind: 'fork', ref: SOURCE, targetTask: 'счётчик-工作流' }))).toBe(
      'invalid_input',
    );
  });

  it('refuses ids that are not file names or are taken, whatever their case', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    await writeFile(join(folder, 'other.json'), pythonFile({ id: 'inner' }));
    const evil = [
      '',
      '.',
      '..',
      '../x',
      '..\\x',
      '..%2fx',
      '/x',
      'a/b',
      'a\0b',
      'x'.repeat(300),
      'é',
      '\ud800',
      ' a',
      '-rf',
    ];
    const names = ['~', '.hidden', 'a.', '*', 'con', 'NUL.x', 'C:\\x', 'OTHER', 'inner', SOURCE.id.toUpperCase()];
    for (const id of [...evil, ...names]) {
      expect([id, await codeOf(source.plan({ kind: 'fork', ref: SOURCE, id }))]).toEqual([id, 'invalid_input']);
    }
    for (const id of ['__proto__', 'Case', 'a.b-c_d', '0']) {
      await run(await source.plan({ kind: 'fork', ref: SOURCE, id }));
      expect(await readdir(folder)).toContain(`${id}.json`);
    }
  });

  it('ids inside documents never become paths', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await writeFile(join(folder, 'evil.json'), pythonFile({ id: '../../evil' }));
    const ref = { task: 'flow', id: '../../evil' };
    const restored = await source.plan({ kind: 'restore', ref });
    expect(restored.job.steps).toMatchObject({
      ops: [{ op: 'create', path: `${written(restored).id}.json`, like: 'evil.json' }],
    });
    const removed = await source.plan({ kind: 'delete', refs: [ref] });
    expect(removed.job.steps).toMatchObject({ ops: [{ path: 'evil.json' }] });
  });
});

describe("the interface's documents", () => {
  it('are restored in their own form, with the parent kept beside the store', async () => {
    const folder = await copyOf('document');
    const source = await openFolder(folder);
    const ref = { task: 'release-notes', id: 'run-1_writer' };
    const plan = await source.plan({ kind: 'restore', ref });
    const copy = written(plan);
    expect(copy.id).toMatch(/^checkpoint_\d+_[0-9a-f]{9}$/);
    expect(codes(plan)).toEqual([]);
    expect(plan.view).toMatchObject({
      sidecar: [{ child: copy, parent: ref }],
      next: `await storage.loadCheckpoint("${copy.id}")`,
    });
    const images = await run(plan);
    expect(await textOf(source, copy)).toBe(
      (await textOf(source, ref))
        .replace('"checkpointId":"run-1_writer"', `"checkpointId":"${copy.id}"`)
        .replace('"2026-11-21T13:00:01.000Z"', '"2026-11-21T14:00:00.000Z"'),
    );
    await undo(plan, images);
    expect(await readdir(folder)).toHaveLength(4);
  });

  it('are newer by a millisecond than a clock that is behind; a fork keeps the time', async () => {
    const source = await openFolder(await copyOf('document'), new Date('2020-01-01T00:00:00Z'));
    const ref = { task: 'release-notes', id: 'run-1_writer' };
    const restore = await source.plan({ kind: 'restore', ref });
    const fork = await source.plan({ kind: 'fork', ref });
    await run(restore);
    await run(fork);
    expect(await textOf(source, written(restore))).toContain('"timestamp":"2026-11-21T13:00:03.001Z"');
    expect(await textOf(source, written(fork))).toContain('"timestamp":"2026-11-21T13:00:01.000Z"');
  });
});

it('types inside pickles never reach a plan as code', async () => {
  const { source } = await storeOf({ id: 'a', state: { x: pickled('posix:system') } });
  const plan = await source.plan({ kind: 'restore', ref: { task: 'flow', id: 'a' } });
  expect(codes(plan)).toEqual(['types_not_allowed']);
  expect(plan.view.warnings[0]?.message).toContain('posix:system');
});
