import { watchInflation } from '@checkpoint-inspector/config/measure';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { copyOf, fixture, openKaizen, refOf } from './fixtures/open.ts';
import { kaizenDocument } from './fixtures/write.ts';

const AGENTS = { research_agent: 7, 'writer-агент ✍️': 2, autonomous_agent: 2, experimental_agent: 1, done_agent: 1 };

async function rowsOf(folder: string, task: string) {
  return (await (await openKaizen(folder)).checkpoints(task)).items;
}

describe.each(['plain', 'gz'] as const)('a real %s store', (name) => {
  it('shows the 5 agents and 13 checkpoints', async () => {
    const source = await openKaizen(fixture(name));
    const { items } = await source.tasks();
    expect(Object.fromEntries(items.map((task) => [task.id, task.checkpointCount]))).toEqual(AGENTS);
    expect(items[0]?.id).toBe('done_agent');
    const failed = items.find((task) => task.id.startsWith('writer'));
    expect(failed).toMatchObject({ status: 'failed', lastError: 'TimeoutError: LLM call exceeded 30s' });
    expect(items.map((task) => task.unreadable)).toEqual([0, 0, 0, 0, 0]);
    expect((await source.tasks({ text: 'АГЕНТ' })).items).toHaveLength(1);
    expect(source.info).toMatchObject({ indexed: { n: 13, of: 13 }, capabilities: { restore: true, delete: true } });
  });

  it('returns the state exactly as stored', async () => {
    const source = await openKaizen(fixture(name));
    for (const { id: task } of (await source.tasks()).items) {
      for (const meta of (await source.checkpoints(task)).items) {
        const file = await readFile(join(fixture(name), `${meta.id}.jsonl${name === 'gz' ? '.gz' : ''}`));
        expect(Buffer.from((await source.raw(refOf(meta))) ?? [])).toEqual(file);
        const state = await source.state(refOf(meta));
        expect(`${state?.text}\n`).toBe((name === 'gz' ? gunzipSync(file) : file).toString());
        expect(state?.revision).toBe(meta.revision);
      }
    }
  });

  it('has 4 recorded edges, one across agents, and chains the linear run', async () => {
    const source = await openKaizen(fixture(name));
    const kinds: Record<string, number> = {};
    const across: string[] = [];
    for (const { id: task } of (await source.tasks()).items) {
      for await (const row of source.lineage(task)) {
        kinds[row.kind] = (kinds[row.kind] ?? 0) + 1;
        if (row.parent && row.parent.task !== task) across.push(task);
      }
    }
    expect(kinds).toEqual({ recorded: 4, inferred: 5, none: 4 });
    expect(across).toEqual(['experimental_agent']);
  });
});

describe('research_agent', () => {
  it('is ordered by time, a fork with the same time after its parent', async () => {
    const rows = (await rowsOf(fixture('plain'), 'research_agent')).toReversed();
    expect(rows.map((row) => [row.seq, row.id, row.parentId, row.lineage, row.stepIndex])).toEqual([
      [1, 'ckpt_8c34b42ade92', undefined, 'none', 0],
      [2, 'ckpt_7ac6c1b3b3b3', 'ckpt_8c34b42ade92', 'inferred', 1],
      [3, 'ckpt_35291435d8cf', 'ckpt_7ac6c1b3b3b3', 'recorded', 1],
      [4, 'ckpt_351ec65c46d0', 'ckpt_7ac6c1b3b3b3', 'inferred', 2],
      [5, 'ckpt_f522bb9e9e0c', 'ckpt_7ac6c1b3b3b3', 'recorded', 2],
      [6, 'ckpt_c03df63ff812', 'ckpt_f522bb9e9e0c', 'recorded', 3],
      [7, 'ckpt_5240f7f452f7', 'ckpt_351ec65c46d0', 'inferred', 3],
    ]);
    expect(rows.map((row) => row.trigger)).toEqual([
      undefined,
      undefined,
      'fork',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(rows.at(-1)).toMatchObject({
      isLatest: true,
      createdAt: '2026-03-14T09:41:53.589Z',
      createdAtText: '2026-03-14T09:41:53.589793+00:00',
      timeBasis: 'utc',
      status: 'running',
      description: 'step 3 done ✓',
    });
  });

  it('is paged without gaps, also when the last row is gone, and around a row', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const all = (await source.checkpoints('research_agent')).items.map((row) => row.id);
    const first = await source.checkpoints('research_agent', { limit: 3 });
    expect(first.items.map((row) => row.id)).toEqual(all.slice(0, 3));
    await rm(join(folder, `${all[2]}.jsonl`));
    const second = await source.checkpoints('research_agent', { limit: 4, cursor: first.cursor ?? '' });
    expect(second.items.map((row) => row.id)).toEqual(all.slice(3));
    expect(second.cursor).toBeUndefined();
    const around = { task: 'research_agent', id: all[6] ?? '' };
    expect((await source.checkpoints('research_agent', { limit: 2, around })).items.map((row) => row.id)).toContain(
      all[6],
    );
    await expect(source.checkpoints('research_agent', { cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(source.checkpoints('research_agent', { limit: 0 })).rejects.toMatchObject({ code: 'invalid_input' });
    expect((await source.checkpoints('nobody')).items).toEqual([]);
    expect(await source.state({ task: 'research_agent', id: '../x' })).toBeUndefined();
  });
});

describe.each(['enc', 'enc-gz'] as const)('a real %s store', (name) => {
  it('shows every file as locked, and says what Kaizen does with them', async () => {
    const source = await openKaizen(fixture(name));
    const [task] = (await source.tasks()).items;
    const count = name === 'enc' ? 13 : 9;
    expect(task).toMatchObject({ kind: 'unassigned', checkpointCount: count, unreadable: count, status: 'unknown' });
    expect(task?.latestNote).toContain('never lists encrypted files');
    const [row] = (await source.checkpoints(task?.id ?? '')).items;
    expect(row).toMatchObject({ problem: { code: 'locked' }, timeBasis: 'file', isLatest: false });
    await expect(source.state({ task: task?.id ?? '', id: row?.id ?? '' })).rejects.toMatchObject({ code: 'locked' });
    expect(await source.raw({ task: task?.id ?? '', id: row?.id ?? '' })).toHaveLength(row?.sizeBytes ?? -1);
    expect(source.info.capabilities.restore).toContain('encrypted');
    expect(source.info.capabilities.delete).toBe(true);
  });
});

describe('bad files', () => {
  it('are listed as rows with reason and offset beside the good ones', async () => {
    const source = await openKaizen(fixture('bad'));
    const tasks = (await source.tasks()).items;
    expect(tasks.map((task) => [task.kind, task.checkpointCount, task.unreadable]).toSorted()).toEqual([
      [undefined, 3, 1],
      ['unassigned', 8, 8],
    ]);
    const rest = tasks.find((task) => task.kind === 'unassigned')?.id ?? '';
    const problems = Object.fromEntries((await source.checkpoints(rest)).items.map((row) => [row.id, row.problem]));
    expect(problems['ckpt_000000000torn.jsonl']).toMatchObject({ code: 'unreadable', offset: 700 });
    expect(problems['ckpt_00000000array.jsonl']?.message).toContain('array');
    expect(problems['ckpt_000000000utf8.jsonl']?.offset).toBe(
      (await readFile(join(fixture('bad'), 'ckpt_000000000utf8.jsonl'))).indexOf(0xff),
    );
    expect(problems['ckpt_00000noagent.jsonl']?.message).toContain('agent_id');
    expect(problems['ckpt_000000000cut.jsonl.gz']?.message).toContain('ends too early');
    expect(problems['ckpt_000000nogzip.jsonl.gz']).toMatchObject({ code: 'unreadable' });
    expect(problems['ckpt_00000000empty.jsonl']).toMatchObject({ code: 'unreadable' });
    expect(problems['ckpt_0000two_lines.jsonl']).toMatchObject({ code: 'unreadable' });
    const own = (await source.checkpoints('bad_agent')).items;
    expect(own.map((row) => [row.id, row.isLatest])).toEqual([
      ['ckpt_0000000exact', true],
      ['ckpt_00000000good', false],
      ['ckpt_00000numtime', false],
    ]);
    expect(own[2]?.problem?.message).toContain('1773480000.5');
    const numeric = { task: 'bad_agent', id: 'ckpt_00000numtime' };
    await expect(source.state(numeric)).rejects.toMatchObject({ code: 'unreadable' });
    const note = source.info.notes?.join(' ');
    expect(note).toContain('checkpoint_cycle_001.jsonl');
    expect(JSON.stringify(tasks)).not.toContain('tmpabcd');
  });

  it('keeps every digit and oddity of a readable state', async () => {
    const source = await openKaizen(fixture('bad'));
    const state = await source.state({ task: 'bad_agent', id: 'ckpt_0000000exact' });
    for (const part of ['NaN', '-Infinity', '12345678901234567890', '-0.0', '1e400', '"\\ud800"', '"": 1, "": 2']) {
      expect(state?.text).toContain(part);
    }
  });

  it('does not follow links and does not inflate bombs', async () => {
    const folder = await copyOf('plain');
    await symlink('/etc/passwd', join(folder, 'ckpt_link.jsonl'));
    const zeros = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x20));
    await writeFile(join(folder, 'ckpt_bomb.jsonl.gz'), Buffer.concat(Array.from({ length: 64 }, () => zeros)));
    const { inflated } = watchInflation();
    const source = await openKaizen(folder);
    const rest = (await source.tasks()).items.find((task) => task.kind === 'unassigned')?.id ?? '';
    const rows = (await source.checkpoints(rest)).items;
    expect(rows.map((row) => [row.id, row.problem?.code]).toSorted()).toEqual([
      ['ckpt_bomb.jsonl.gz', 'too_large'],
      ['ckpt_link.jsonl', 'unreadable'],
    ]);
    // 256 MiB of the 2 GiB that the bomb holds are enough to know it, each time that it is looked at.
    expect(inflated()).toBeGreaterThan(0);
    expect(inflated()).toBeLessThan((2 * 64 * zeros.length) / 7);
    await expect(source.raw({ task: rest, id: 'ckpt_link.jsonl' })).rejects.toMatchObject({ code: 'unreadable' });
  });
});

describe("where Kaizen's own answer differs", () => {
  const document = (id: string, timestamp: string, more: object = {}) =>
    `${kaizenDocument({ checkpoint_id: id, agent_id: 'research_agent', timestamp, ...more })}\n`;

  it('reports times without an offset, and still picks the newest', async () => {
    const folder = await copyOf('plain');
    await writeFile(join(folder, 'ckpt_naive.jsonl'), document('ckpt_naive', '2026-03-15T00:00:00'));
    const latest = await (await openKaizen(folder)).latest('research_agent');
    expect(latest).toMatchObject({ ref: { id: 'ckpt_naive' }, basis: 'rule' });
    expect(latest.note).toContain('lists none');
  });

  it('reports unknown keys and for files that do not bear the id', async () => {
    const folder = await copyOf('plain');
    const text = document('ckpt_new', '2026-03-15T00:00:00+00:00').replace(
      '"metadata": {}',
      '"metadata": {}, "own": 1',
    );
    await writeFile(join(folder, 'renamed.jsonl'), text);
    const { note } = await (await openKaizen(folder)).latest('research_agent');
    expect(note).toContain("doesn't know the keys own");
    expect(note).toContain('no file is named after');
  });

  it('shows all files of one id, and which one Kaizen loads', async () => {
    const folder = await copyOf('plain');
    const text = await readFile(join(folder, 'ckpt_5240f7f452f7.jsonl'));
    await writeFile(join(folder, 'ckpt_5240f7f452f7.jsonl.gz'), gzipSync(text));
    const source = await openKaizen(folder);
    expect(await source.find('ckpt_5240f7f452f7')).toEqual([
      { task: 'research_agent', namespace: 'ckpt_5240f7f452f7.jsonl', id: 'ckpt_5240f7f452f7' },
      { task: 'research_agent', id: 'ckpt_5240f7f452f7' },
    ]);
    const rows = (await source.checkpoints('research_agent')).items;
    expect(rows).toHaveLength(8);
    expect(rows.find((row) => row.namespace)?.labels.join()).toContain('Kaizen loads ckpt_5240f7f452f7.jsonl.gz');
    expect(await source.latest('research_agent')).toEqual({
      ref: { task: 'research_agent', id: 'ckpt_5240f7f452f7' },
      basis: 'rule',
    });
  });

  it('reports an empty agent id', async () => {
    const folder = await copyOf('plain');
    await writeFile(join(folder, 'e.jsonl'), document('e', '2026-01-01T00:00:00+00:00', { agent_id: '' }));
    const source = await openKaizen(folder);
    expect((await source.latest('')).note).toContain('ckpt_593661d7fd60 of "done_agent"');
    expect((await source.tasks({ text: 'empty agent' })).items).toMatchObject([{ id: '', title: '(empty agent id)' }]);
  });
});

describe('lineage across resumes', () => {
  it('starts a new root when a run begins again, and follows a restored copy', async () => {
    const folder = await copyOf('plain');
    const save = (id: string, minute: string, step: number, parent: string | null = null) =>
      writeFile(
        join(folder, `${id}.jsonl`),
        kaizenDocument({
          checkpoint_id: id,
          agent_id: 'a',
          timestamp: `2026-05-01T00:${minute}:00+00:00`,
          step_number: step,
          parent_checkpoint_id: parent,
        }),
      );
    await save('one', '01', 1);
    await save('two', '02', 2);
    await save('three', '03', 3);
    await save('restored', '04', 2, 'two');
    await save('again3', '05', 3);
    await save('again4', '06', 4);
    await save('fresh', '07', 0);
    const rows = (await rowsOf(folder, 'a')).toReversed();
    expect(rows.map((row) => [row.id, row.parentId])).toEqual([
      ['one', undefined],
      ['two', 'one'],
      ['three', 'two'],
      ['restored', 'two'],
      ['again3', 'restored'],
      ['again4', 'again3'],
      ['fresh', undefined],
    ]);
  });
});

describe('changes from outside', () => {
  it('are seen by the next call and reported by watch', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const changes: unknown[] = [];
    const unwatch = source.watch((change) => changes.push(change));
    await rm(join(folder, 'ckpt_5240f7f452f7.jsonl'));
    expect((await source.latest('research_agent')).ref?.id).toBe('ckpt_c03df63ff812');
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(0), 20_000);
    unwatch();
    await rename(folder, `${folder}-gone`);
    await expect(source.tasks()).rejects.toMatchObject({ code: 'not_found' });
    await rename(`${folder}-gone`, folder);
    expect((await source.tasks()).items).toHaveLength(5);
  });
});
