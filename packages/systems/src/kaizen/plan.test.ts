import { InspectorError, isChangeable, type SystemRequest } from '@checkpoint-inspector/core';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { copyOf, fixture, openKaizen } from './fixtures/open.ts';
import type { KaizenSource } from './read.ts';
import { kaizenDocument } from './fixtures/write.ts';
import { applyPlan } from '../test-executor.ts';

const TASK = 'research_agent';
const SOURCE = { task: TASK, id: 'ckpt_7ac6c1b3b3b3' };
const LATEST = { task: TASK, id: 'ckpt_5240f7f452f7' };

async function apply(source: KaizenSource, request: SystemRequest) {
  const plan = await source.plan(request);
  const applied = await applyPlan(plan);
  expect(applied.failed).toEqual([]);
  return plan;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => InspectorError.from(error).code,
  );
}

describe('restore', () => {
  it('writes the same text with three tokens replaced, and that is what resumes', async () => {
    const folder = await copyOf('plain');
    await chmod(join(folder, `${SOURCE.id}.jsonl`), 0o600);
    const before = await readFile(join(folder, `${SOURCE.id}.jsonl`), 'utf8');
    const source = await openKaizen(folder);
    const plan = await apply(source, { kind: 'restore', ref: SOURCE });
    const copy = plan.view.writes.items[0]?.ref;
    expect(copy?.id).toMatch(/^ckpt_[0-9a-f]{12}$/);
    const after = await readFile(join(folder, `${copy?.id}.jsonl`), 'utf8');
    expect(after).toBe(
      before
        .replace('"checkpoint_id": "ckpt_7ac6c1b3b3b3"', `"checkpoint_id": "${copy?.id}"`)
        .replace(
          '"timestamp": "2026-03-14T09:31:53.589793+00:00", "updated_at"',
          '"timestamp": "2026-11-21T12:00:00.000000+00:00", "updated_at"',
        )
        .replace('"parent_checkpoint_id": null', `"parent_checkpoint_id": "ckpt_7ac6c1b3b3b3"`),
    );
    expect(after).not.toBe(before);
    expect((await stat(join(folder, `${copy?.id}.jsonl`))).mode & 0o777).toBe(0o600);
    expect(await source.latest(TASK)).toEqual({ ref: copy, basis: 'rule' });
    expect(plan.view).toMatchObject({
      latestBefore: { ref: LATEST },
      latestAfter: copy,
      next: 'await manager.resume_from_latest("research_agent")',
      warnings: [],
      removes: { count: 0 },
      evicts: { count: 0 },
    });
    expect(plan.view.preconditions).toEqual([
      { kind: 'head', task: TASK, ref: LATEST },
      { kind: 'revision', ref: SOURCE, revision: createHash('sha256').update(before).digest('hex') },
      { kind: 'absent', ref: copy },
    ]);
    expect((await source.state(copy ?? SOURCE))?.revision).toBe(plan.view.proofHash);
    expect((await source.checkpoints(TASK)).items[0]).toMatchObject({
      parentId: SOURCE.id,
      lineage: 'recorded',
      seq: 8,
    });
  });

  it('keeps gzip, and the rest of the store as it is', async () => {
    const folder = await copyOf('gz');
    const source = await openKaizen(folder);
    const names = await readdir(folder);
    const oldest = (await source.checkpoints(TASK)).items.at(-1);
    const plan = await apply(source, { kind: 'restore', ref: { task: TASK, id: oldest?.id ?? '' } });
    const copy = plan.view.writes.items[0]?.ref.id ?? '';
    const text = gunzipSync(await readFile(join(folder, `${copy}.jsonl.gz`))).toString();
    expect(text.endsWith('}\n')).toBe(true);
    expect((await source.latest(TASK)).ref?.id).toBe(copy);
    expect((await readdir(folder)).filter((name) => name !== `${copy}.jsonl.gz`)).toEqual(names);
    for (const name of names)
      expect(await readFile(join(folder, name))).toEqual(await readFile(join(fixture('gz'), name)));
  });

  it('is newer than a clock that is behind, and keeps oddities byte for byte', async () => {
    const folder = await copyOf('bad');
    const source = await openKaizen(folder, new Date('2020-01-01T00:00:00Z'));
    const ref = { task: 'bad_agent', id: 'ckpt_0000000exact' };
    const plan = await apply(source, { kind: 'restore', ref });
    const copy = plan.view.writes.items[0]?.ref ?? ref;
    const [before, after] = [await source.state(ref), await source.state(copy)];
    expect(after?.text).toContain('"timestamp": "2026-03-14T09:40:00.000001+00:00"');
    const rest = (text = ''): string =>
      text.slice(text.indexOf('"updated_at"'), text.indexOf('"parent_checkpoint_id"'));
    expect(rest(after?.text)).toBe(rest(before?.text));
    expect(rest(after?.text)).toContain('NaN');
  });

  it('keeps times without an offset where the agent has only such, and warns where they are mixed', async () => {
    const folder = await copyOf('plain');
    const save = (id: string, agent_id: string) =>
      writeFile(
        join(folder, `${id}.jsonl`),
        kaizenDocument({ checkpoint_id: id, agent_id, timestamp: '2025-01-01T00:00:00' }),
      );
    await save('old', 'old_agent');
    await save('mixed', TASK);
    const source = await openKaizen(folder);
    const plan = await apply(source, { kind: 'restore', ref: { task: 'old_agent', id: 'old' } });
    const copy = plan.view.writes.items[0]?.ref ?? SOURCE;
    expect((await source.state(copy))?.text).toContain('"timestamp": "2026-11-21T12:00:00.000000", ');
    expect(plan.view.warnings).toEqual([]);
    const mixed = await source.plan({ kind: 'restore', ref: SOURCE });
    expect(mixed.view.warnings.map((warning) => warning.code)).toEqual(['kaizen_lists_nothing']);
  });

  it('tells what the next save will remove', async () => {
    const folder = await copyOf('plain');
    for (let n = 0; n < 93; n++) {
      const timestamp = `2026-02-01T00:00:${String(n % 60).padStart(2, '0')}.${String(n).padStart(6, '0')}+00:00`;
      await writeFile(
        join(folder, `f${n}.jsonl`),
        kaizenDocument({ checkpoint_id: `f${n}`, agent_id: TASK, timestamp }),
      );
    }
    const plan = await (await openKaizen(folder)).plan({ kind: 'restore', ref: SOURCE });
    expect(plan.view.evicts.items.map(({ ref, when }) => [ref.id, when])).toEqual([
      ['f0', 'next-save'],
      ['f60', 'next-save'],
    ]);
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['evicts']);
    expect(plan.view.bytesFreed).toBe(0);
  });

  it('is refused with the reason for what cannot be read, and into another agent', async () => {
    const locked = await openKaizen(fixture('enc'));
    const ref = { task: 'unassigned files', id: 'ckpt_19ddfcd0a797.enc.jsonl' };
    await expect(locked.plan({ kind: 'restore', ref })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('encrypted'),
    });
    const bad = await openKaizen(fixture('bad'));
    const broken = { task: 'bad_agent', id: 'ckpt_00000numtime' };
    expect(await codeOf(bad.plan({ kind: 'restore', ref: broken }))).toBe('unsupported');
    const plain = await openKaizen(fixture('plain'));
    expect(await codeOf(plain.plan({ kind: 'restore', ref: SOURCE, targetTask: 'other' }))).toBe('unsupported');
    expect(await codeOf(plain.plan({ kind: 'restore', ref: { ...SOURCE, id: 'none' } }))).toBe('not_found');
    expect(isChangeable(plain)).toBe(true);
  });
});

describe('fork', () => {
  it('keeps the time as Kaizen does, so the head stays', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const plan = await apply(source, { kind: 'fork', ref: SOURCE, id: 'my-fork_1' });
    const before = await source.state(SOURCE);
    const after = await source.state({ task: TASK, id: 'my-fork_1' });
    expect(after?.text).toBe(
      before?.text
        .replace('"checkpoint_id": "ckpt_7ac6c1b3b3b3"', '"checkpoint_id": "my-fork_1"')
        .replace('"parent_checkpoint_id": null', '"parent_checkpoint_id": "ckpt_7ac6c1b3b3b3"'),
    );
    expect(plan.view.latestAfter).toEqual(LATEST);
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['fork_not_latest']);
    expect(plan.view.next).toBe('await manager.load_checkpoint("my-fork_1")');
    expect(await source.latest(TASK)).toEqual({ ref: LATEST, basis: 'rule' });
    const row = (await source.checkpoints(TASK)).items.find((meta) => meta.id === 'my-fork_1');
    expect(row).toMatchObject({ trigger: 'fork', parentId: SOURCE.id });
  });

  it('of the latest is a tie, and reports it', async () => {
    const source = await openKaizen(await copyOf('plain'));
    const plan = await source.plan({ kind: 'fork', ref: LATEST });
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['tie']);
  });

  it('into a new agent patches the agent too, in ASCII', async () => {
    const source = await openKaizen(await copyOf('plain'));
    const plan = await apply(source, { kind: 'fork', ref: SOURCE, targetTask: '../агент "x"' });
    const copy = plan.view.writes.items[0]?.ref ?? SOURCE;
    expect(copy.task).toBe('../агент "x"');
    expect((await source.state(copy))?.text).toContain('"agent_id": "../\\u0430\\u0433\\u0435\\u043d\\u0442 \\"x\\""');
    expect(await source.latest(copy.task)).toEqual({ ref: copy, basis: 'rule' });
    expect(plan.view).toMatchObject({ targetTask: copy.task, latestAfter: copy, latestBefore: { basis: 'none' } });
    const [row] = (await source.checkpoints(copy.task)).items;
    expect(row).toMatchObject({ parentId: SOURCE.id, parentTaskId: TASK });
    expect(await codeOf(source.plan({ kind: 'fork', ref: SOURCE, targetTask: 'done_agent' }))).toBe('invalid_input');
    expect(await codeOf(source.plan({ kind: 'fork', ref: SOURCE, targetTask: '' }))).toBe('invalid_input');
  });
});

describe('delete', () => {
  it('moves the files to the trash and says what resumes then, and which parents will be missing', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const plan = await apply(source, { kind: 'delete', refs: [LATEST, SOURCE, LATEST] });
    expect(plan.view.removes).toMatchObject({ count: 2 });
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['latest_deleted', 'parent_missing']);
    expect(plan.view.warnings[0]?.message).toContain('ckpt_c03df63ff812');
    expect(plan.view.latestAfter?.id).toBe('ckpt_c03df63ff812');
    expect((await source.latest(TASK)).ref).toEqual(plan.view.latestAfter);
    expect(await readdir(folder)).toHaveLength(11);
    const orphan = (await source.checkpoints(TASK)).items.find((row) => row.id === 'ckpt_35291435d8cf');
    expect(orphan).toMatchObject({ parentId: SOURCE.id, lineage: 'recorded' });
  });

  it('takes locked and broken files, but not what could not be put back', async () => {
    const folder = await copyOf('bad');
    const source = await openKaizen(folder);
    const torn = { task: 'unassigned files', id: 'ckpt_000000000torn.jsonl' };
    await apply(source, { kind: 'delete', refs: [torn] });
    expect(await source.raw(torn)).toBeUndefined();
    expect(await codeOf(source.plan({ kind: 'delete', refs: [] }))).toBe('invalid_input');
    const other = { task: 'bad_agent', id: 'ckpt_00000000good' };
    const array = { task: 'unassigned files', id: 'ckpt_00000000array.jsonl' };
    expect(await codeOf(source.plan({ kind: 'delete', refs: [array, other] }))).toBe('invalid_input');
    expect(await codeOf(source.plan({ kind: 'delete', refs: [array, torn] }))).toBe('not_found');
  });

  it('warns of files that are marked read-only, and the refusal says what to do', async () => {
    const folder = await copyOf('plain');
    await chmod(join(folder, `${SOURCE.id}.jsonl`), 0o444);
    const source = await openKaizen(folder);
    const { view } = await source.plan({ kind: 'delete', refs: [SOURCE] });
    expect(view.warnings).toContainEqual({
      code: 'read_only_file',
      message: `This file is marked read-only and will not be deleted: ${SOURCE.id}.jsonl.`,
    });
    await expect(apply(source, { kind: 'delete', refs: [SOURCE] })).rejects.toMatchObject({
      code: 'read_only',
      message: `Nothing could be removed. "${SOURCE.id}.jsonl" is marked read-only, so it was not changed.`,
      remedy: 'Make the file writable, then try again.',
    });
  });

  it('warns when nothing is left', async () => {
    const source = await openKaizen(await copyOf('plain'));
    const plan = await source.plan({ kind: 'delete', refs: [{ task: 'done_agent', id: 'ckpt_593661d7fd60' }] });
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['task_emptied']);
    expect(plan.view.latestAfter).toBeUndefined();
  });
});

const EVIL = [
  '',
  '.',
  '..',
  '../x',
  '../../x',
  '..\\x',
  '..%2fx',
  '%2e%2e%2fx',
  '/etc/passwd',
  '/x',
  'a/b',
  'a\\b',
  'C:\\x',
  'a:b',
  'a\0b',
  '\0',
  'x'.repeat(300),
  'é',
  'e\u0301',
  '\ud800',
  '🦊',
  'a\nb',
  'a b',
  ' a',
  'a ',
  '-rf',
  '~',
  '~root',
  '.hidden',
  'a.',
  '*',
  '?*',
  '[a-z]*',
  'p%',
  'con',
  'NUL.x',
  'x.enc',
  'x.gz',
  'x.jsonl',
  'checkpoint_cycle_1',
  '../store-evil/x',
  'CKPT_7AC6C1B3B3B3',
];

describe('evil ids', () => {
  it('are refused as file names and found nowhere', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    for (const id of EVIL) {
      expect([id, await codeOf(source.plan({ kind: 'fork', ref: SOURCE, id }))]).toEqual([id, 'invalid_input']);
      expect(await source.state({ task: TASK, id })).toBeUndefined();
      expect(await source.raw({ task: TASK, id })).toBeUndefined();
      expect(await source.find(id)).toEqual([]);
      expect(await codeOf(source.plan({ kind: 'delete', refs: [{ task: TASK, id }] }))).toBe('not_found');
    }
    expect(await readdir(folder)).toHaveLength(13);
    expect(await readdir(join(folder, '..'))).toEqual(['store']);
  });

  it('of names that only look odd are stored under exactly that id', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    for (const id of ['__proto__', 'constructor', 'Case', 'a.b-c_d', '0']) {
      await apply(source, { kind: 'fork', ref: SOURCE, id });
      expect(await readdir(folder)).toContain(`${id}.jsonl`);
      expect(await source.find(id)).toEqual([{ task: TASK, id }]);
      expect(await codeOf(source.plan({ kind: 'fork', ref: SOURCE, id: id.toUpperCase() }))).toBe('invalid_input');
    }
  });

  it('inside documents never become paths', async () => {
    const folder = await copyOf('plain');
    const text = kaizenDocument({
      checkpoint_id: '../../evil',
      agent_id: '../a',
      timestamp: '2026-03-14T09:00:00+00:00',
    });
    await writeFile(join(folder, 'evil.jsonl'), text);
    const source = await openKaizen(folder);
    const ref = { task: '../a', id: '../../evil' };
    const restored = await source.plan({ kind: 'restore', ref });
    expect(restored.job.steps).toMatchObject({
      ops: [{ op: 'create', path: expect.stringMatching(/^ckpt_[0-9a-f]{12}\.jsonl$/) }],
    });
    const removed = await source.plan({ kind: 'delete', refs: [ref] });
    expect(removed.job.steps).toMatchObject({ ops: [{ op: 'trash', path: 'evil.jsonl' }] });
  });
});
