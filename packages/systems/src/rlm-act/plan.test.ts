import { InspectorError, type SystemRequest } from '@checkpoint-inspector/core';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  apply,
  copyOf,
  diskOf,
  fixture,
  HOME,
  NOW,
  openRlmAct,
  temporaryFolder,
  timesOf,
  undo,
} from './fixtures/open.ts';

const TASK = 'python-new-york';
const SOURCE = { task: TASK, id: '37f9aa4b-c0b9-4901-b3ee-a9df8167c170' };
const LATEST = { task: TASK, id: 'd52fa138-e9aa-4a58-9e78-bf3fab013661' };
const GO = { task: 'go', id: '0863c82b-a8dd-4eef-a528-62c063f3b8fa' };
const GOOD = { task: 'bad', id: '00000000-0000-4000-8000-00000000good' };
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The pipeline's own rule from the written facts: all `*.json` that parse, by timestamp, descending, stable. */
async function pipelineLatest(folder: string): Promise<{ id: string; phase: string; state: unknown; file: string }> {
  const found: { timestamp?: string; id: string; phase: string; state: unknown; file: string }[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json'))) {
    try {
      found.push({ ...JSON.parse(await readFile(join(folder, file), 'utf8')), file });
    } catch {
      // The pipeline passes over it.
    }
  }
  found.sort((a, b) =>
    (a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : (a.timestamp ?? '') > (b.timestamp ?? '') ? -1 : 0,
  );
  const [top] = found;
  if (!top) throw new Error('The folder holds no checkpoint.');
  return top;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => InspectorError.from(error).code,
  );
}

async function planIn(folder: string, request: SystemRequest, now = NOW) {
  return (await openRlmAct(folder, now)).plan(request);
}

async function warningsIn(folder: string, request: SystemRequest, now = NOW): Promise<string[]> {
  return (await planIn(folder, request, now)).view.warnings.map((warning) => warning.code);
}

describe('restore', () => {
  it('writes the same text with two tokens replaced, and that is what the pipeline resumes', async () => {
    const folder = await copyOf(TASK);
    await chmod(join(folder, `${SOURCE.id}.json`), 0o640);
    const before = await readFile(join(folder, `${SOURCE.id}.json`), 'utf8');
    const disk = await diskOf(folder);
    const source = await openRlmAct(folder);
    const plan = await source.plan({ kind: 'restore', ref: SOURCE });
    expect(await diskOf(folder)).toEqual(disk);
    const applied = await apply(plan);
    const copy = plan.view.latestAfter;
    if (!copy) throw new Error('A restore names the latest after it.');
    expect(copy.id).toMatch(UUID_V4);
    const after = await readFile(join(folder, `${copy.id}.json`), 'utf8');
    expect(after).toBe(
      before.replace(SOURCE.id, copy.id).replace('2026-11-21T08:29:44.790060Z', '2026-11-21T08:29:44.834707Z'),
    );
    expect((await stat(join(folder, `${copy.id}.json`))).mode & 0o777).toBe(0o640);
    expect(await pipelineLatest(folder)).toMatchObject({
      id: copy.id,
      file: `${copy.id}.json`,
      phase: 'decomposition-complete',
      state: JSON.parse(before).state,
    });
    expect(await source.latest(TASK)).toEqual({ ref: copy, basis: 'rule' });
    expect((await source.state(copy))?.revision).toBe(plan.view.proofHash);
    expect(plan.view).toMatchObject({
      task: TASK,
      latestBefore: { ref: LATEST, basis: 'rule' },
      warnings: [],
      removes: { count: 0 },
      evicts: { count: 0 },
      next: `silmari-rlm-act resume --project ${dirname(folder)}`,
      sidecar: [{ child: copy, parent: SOURCE }],
    });
    expect(plan.view.preconditions).toEqual([
      { kind: 'head', task: TASK, ref: LATEST },
      { kind: 'revision', ref: SOURCE, revision: createHash('sha256').update(before).digest('hex') },
      { kind: 'absent', ref: copy },
    ]);
    await undo(plan, applied);
    expect(await diskOf(folder)).toEqual(disk);
    expect(await source.latest(TASK)).toEqual({ ref: LATEST, basis: 'rule' });
  });

  it('twice is newer than once, and stays before the next save of the pipeline', async () => {
    const folder = await copyOf(TASK);
    const source = await openRlmAct(folder);
    await apply(await source.plan({ kind: 'restore', ref: SOURCE }));
    const second = await source.plan({ kind: 'restore', ref: SOURCE });
    await apply(second);
    expect((await pipelineLatest(folder)).id).toBe(second.view.latestAfter?.id);
    const next = '{"id": "next", "timestamp": "2026-11-21T08:29:45.000001Z", "state": {}}';
    await writeFile(join(folder, 'next.json'), next);
    expect((await pipelineLatest(folder)).id).toBe('next');
    expect((await source.latest(TASK)).ref?.id).toBe('next');
  });

  it("takes Go's form of a second where that is the newest, and says that Python cannot load it", async () => {
    const folder = await copyOf('go');
    const before = await readFile(join(folder, `${GO.id}.json`), 'utf8');
    const plan = await planIn(folder, { kind: 'restore', ref: GO });
    await apply(plan);
    const id = plan.view.latestAfter?.id ?? '';
    expect(await readFile(join(folder, `${id}.json`), 'utf8')).toBe(
      before.replace(GO.id, id).replace('"timestamp": "2026-11-21T13:29:41Z"', '"timestamp": "2026-11-21T13:29:44Z"'),
    );
    expect((await pipelineLatest(folder)).id).toBe(id);
    expect(plan.view.warnings).toMatchObject([
      { code: 'python_fails', message: expect.stringContaining('phase_type') },
    ]);
    const source = await openRlmAct(folder);
    expect(await source.latest('go')).toMatchObject({ ref: plan.view.latestAfter, basis: 'rule' });
  });

  it('keeps every oddity, adds what is missing, and warns of what stops the pipeline', async () => {
    const folder = await copyOf('bad');
    const ref = { task: 'bad', id: '00000000-0000-4000-8000-0000000exact' };
    const before = await readFile(join(folder, `${ref.id}.json`), 'utf8');
    const plan = await planIn(folder, { kind: 'restore', ref });
    await apply(plan);
    const id = plan.view.latestAfter?.id ?? '';
    expect(await readFile(join(folder, `${id}.json`), 'utf8')).toBe(
      before.replace(ref.id, id).replace('10:00:02.999999Z', '10:00:03.000000Z'),
    );
    expect(plan.view.warnings).toMatchObject([
      {
        code: 'pipeline_fails',
        message: expect.stringContaining('array.json, null-time.json, number-time.json and 1 more'),
      },
    ]);
    const timeless = await planIn(folder, { kind: 'restore', ref: { task: 'bad', id: 'no-time' } });
    await apply(timeless);
    const added = await readFile(join(folder, `${timeless.view.latestAfter?.id}.json`), 'utf8');
    expect(added).toMatch(/"git_commit": "",\n {2}"timestamp": "2026-03-14T10:00:03.000001Z"\n\}$/);
  });

  it('takes the clock where nothing has a timestamp', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'only.json'), '{}');
    const source = await openRlmAct(folder);
    const task = (await source.tasks()).items[0]?.id ?? '';
    const plan = await source.plan({ kind: 'restore', ref: { task, id: 'only' } });
    await apply(plan);
    expect(await readFile(join(folder, `${plan.view.latestAfter?.id}.json`), 'utf8')).toBe(
      `{"id": "${plan.view.latestAfter?.id}", "timestamp": "2027-06-01T12:00:00.000000Z"}`,
    );
    expect(plan.view.latestBefore).toMatchObject({ ref: { id: 'only' } });
  });

  it('warns of a running pipeline, of times ahead of every clock, and of files that are not compared', async () => {
    const folder = await copyOf(TASK);
    const request = { kind: 'restore', ref: SOURCE } as const;
    const file = join(folder, `${LATEST.id}.json`);
    await utimes(file, NOW, new Date(NOW.getTime() - 59_000));
    expect(await warningsIn(folder, request)).toEqual(['agent_active']);
    await utimes(file, NOW, new Date(NOW.getTime() + 1000));
    expect(await warningsIn(folder, request)).toEqual([]);
    expect(await warningsIn(folder, request, new Date('2026-11-20T18:00:00Z'))).toEqual(['future_time']);
    expect(await warningsIn(folder, request, new Date('2026-11-20T19:00:00Z'))).toEqual([]);
    await symlink('nowhere', join(folder, 'link.json'));
    await utimes(file, NOW, new Date(NOW.getTime() - 3600_000));
    expect(await warningsIn(folder, request)).toEqual(['not_compared']);
  });

  it('quotes the project for a shell', async () => {
    const project = join(await temporaryFolder(), "it's mine");
    await mkdir(join(project, HOME), { recursive: true });
    await writeFile(join(project, HOME, 'a.json'), '{"timestamp": "2026-11-21T13:29:41Z"}');
    const plan = await planIn(join(project, HOME), { kind: 'restore', ref: { task: "it's mine", id: 'a' } });
    expect(plan.view.next).toBe(`silmari-rlm-act resume --project '${dirname(project)}/it'\\''s mine'`);
  });

  it('is refused with the reason', async () => {
    const plan = (ref: { task: string; id: string }, more: object = {}) =>
      planIn(fixture(ref.task === 'bad' ? 'bad' : TASK), { kind: 'restore', ref, ...more });
    await expect(plan({ task: 'bad', id: 'torn' })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining("can't be read"),
    });
    expect(await codeOf(plan({ ...SOURCE, id: 'gone' }))).toBe('not_found');
    expect(await codeOf(plan({ ...SOURCE, task: 'other' }))).toBe('not_found');
    expect(await codeOf(plan(SOURCE, { targetTask: 'other' }))).toBe('unsupported');
    expect(await codeOf(plan(SOURCE, { targetTask: TASK }))).toBe('done');
    const folder = await copyOf(TASK);
    await writeFile(join(folder, 'odd.json'), '{"timestamp": "tomorrow"}');
    await expect(planIn(folder, { kind: 'restore', ref: SOURCE })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'No timestamp can be later than "tomorrow".',
      remedy: expect.stringContaining('Delete the checkpoint'),
    });
  });
});

describe('what no plan is made for', () => {
  it('says why', async () => {
    const source = await openRlmAct(fixture(TASK));
    const fork = source.plan({ kind: 'fork', ref: SOURCE });
    await expect(fork).rejects.toMatchObject({ code: 'unsupported', message: source.info.capabilities.fork });
    const { info } = source;
    const can = { ...info.capabilities, restore: 'no right', delete: 'no right' };
    vi.spyOn(source, 'info', 'get').mockReturnValue({ ...info, capabilities: can });
    for (const request of [
      { kind: 'restore', ref: SOURCE },
      { kind: 'delete', refs: [SOURCE] },
    ] as const) {
      await expect(source.plan(request)).rejects.toMatchObject({ code: 'unsupported', message: 'no right' });
    }
  });
});

describe('delete', () => {
  it('moves the files to the trash, says what resumes then, and undo puts all back', async () => {
    const folder = await copyOf(TASK);
    await chmod(join(folder, `${SOURCE.id}.json`), 0o600);
    const [disk, times] = [await diskOf(folder), await timesOf(folder)];
    const source = await openRlmAct(folder);
    const plan = await source.plan({ kind: 'delete', refs: [LATEST, SOURCE, LATEST] });
    expect(plan.view).toMatchObject({ removes: { count: 2 }, bytesFreed: 1654 + 1724, latestBefore: { ref: LATEST } });
    expect(plan.view.warnings).toMatchObject([
      { code: 'latest_deleted', message: expect.stringContaining('eb560e17-0dc9-485b-a1a2-e67ee323ef33') },
    ]);
    const applied = await apply(plan);
    expect(await readdir(folder)).toHaveLength(8);
    expect((await source.latest(TASK)).ref).toEqual(plan.view.latestAfter);
    expect((await pipelineLatest(folder)).id).toBe(plan.view.latestAfter?.id);
    await undo(plan, applied);
    expect(await diskOf(folder)).toEqual(disk);
    for (const [at, [mtimeMs]] of (await timesOf(folder)).entries()) {
      expect(Math.abs(mtimeMs - (times[at]?.[0] ?? 0))).toBeLessThan(1);
    }
  });

  it('of an older one changes no head; of all is warned of', async () => {
    const folder = await copyOf(TASK);
    expect(await warningsIn(folder, { kind: 'delete', refs: [SOURCE] })).toEqual([]);
    const source = await openRlmAct(folder);
    const refs = (await source.checkpoints(TASK)).items.map(({ id }) => ({ task: TASK, id }));
    const plan = await source.plan({ kind: 'delete', refs });
    expect([plan.view.warnings.map((warning) => warning.code), plan.view.latestAfter]).toEqual([
      ['task_emptied'],
      undefined,
    ]);
    await apply(plan);
    expect([await source.tasks(), await source.latest(TASK)]).toEqual([{ items: [] }, { basis: 'none' }]);
  });

  it('takes broken files, after which the pipeline works again', async () => {
    const folder = await copyOf('bad');
    const source = await openRlmAct(folder);
    const ids = ['array', 'null-time', 'number-time', 'utf8'];
    const plan = await source.plan({ kind: 'delete', refs: ids.map((id) => ({ task: 'bad', id })) });
    expect(plan.view.warnings).toEqual([]);
    await apply(plan);
    expect(await source.latest('bad')).toEqual({
      ref: { ...GOOD, id: '00000000-0000-4000-8000-0000000exact' },
      basis: 'rule',
    });
  });

  it('of a folder with nothing but broken files warns of no head', async () => {
    const folder = join(await temporaryFolder(), 'x');
    await mkdir(folder);
    await writeFile(join(folder, 'torn.json'), '{');
    expect(await warningsIn(folder, { kind: 'delete', refs: [{ task: 'x', id: 'torn' }] })).toEqual([]);
  });

  it('continues when one of the files cannot be removed, and reports that one', async () => {
    const folder = await copyOf(TASK);
    const source = await openRlmAct(folder);
    const plan = await source.plan({ kind: 'delete', refs: [LATEST, SOURCE] });
    await chmod(join(folder, `${SOURCE.id}.json`), 0o444);
    const applied = await apply(plan);
    expect(applied.failed).toMatchObject([{ what: `${SOURCE.id}.json`, reason: expect.stringContaining('read-only') }]);
    expect(await readdir(folder)).toHaveLength(9);
  });

  it('refuses what could not be put back, what is missing, and nothing', async () => {
    const folder = await copyOf(TASK);
    const outside = join(dirname(dirname(folder)), 'outside');
    await writeFile(outside, 'precious');
    await symlink(outside, join(folder, 'link.json'));
    const refused = (refs: readonly { task: string; id: string }[]) => codeOf(planIn(folder, { kind: 'delete', refs }));
    expect(await refused([{ task: TASK, id: 'link' }])).toBe('unsupported');
    expect(await refused([])).toBe('invalid_input');
    for (const id of [
      '../python-new-york/x',
      '..',
      '/etc/passwd',
      '__proto__',
      '',
      'a\0b',
      'x'.repeat(300),
      LATEST.id.toUpperCase(),
    ]) {
      expect([id, await refused([LATEST, { task: TASK, id }])]).toEqual([id, 'not_found']);
    }
    expect(await readFile(outside, 'utf8')).toBe('precious');
    const source = await openRlmAct(folder);
    await rm(folder, { recursive: true });
    expect(await codeOf(source.plan({ kind: 'delete', refs: [LATEST] }))).toBe('not_found');
  });
});
