import { InspectorError } from '@checkpoint-inspector/core';
import { readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextRandomBytes } from '@checkpoint-inspector/config/measure';
import { copyOf, openKaizen, temporaryFolder } from './fixtures/open.ts';
import { apply, errorOf } from './fixtures/unlocked.ts';
import { kaizenDocument, type KaizenFields } from './fixtures/write.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');

async function save(folder: string, fields: KaizenFields): Promise<string> {
  const path = join(folder, `${fields.checkpoint_id}.jsonl`);
  await writeFile(path, kaizenDocument(fields));
  return path;
}

describe('the id of a copy', () => {
  it('is drawn again where the folder has it already', async () => {
    const folder = await copyOf('plain');
    const before = await readFile(join(folder, 'ckpt_7ac6c1b3b3b3.jsonl'));
    const source = await openKaizen(folder);
    nextRandomBytes('7ac6c1b3b3b3', '5240f7f452f7', '00000000beef');
    const plan = await source.plan({ kind: 'restore', ref: { task: 'research_agent', id: 'ckpt_7ac6c1b3b3b3' } });
    expect(plan.view.writes.items.map((item) => item.ref.id)).toEqual(['ckpt_00000000beef']);
    expect((await apply(plan)).failed).toEqual([]);
    expect(await readFile(join(folder, 'ckpt_7ac6c1b3b3b3.jsonl'))).toEqual(before);
  });
});

describe('the time of a restored copy', () => {
  const FUTURE = '2030-01-01T00:00:00.000000+00:00';

  it('of an empty agent id is newer than that of every agent, of another agent only than its own', async () => {
    const folder = await temporaryFolder();
    await save(folder, { checkpoint_id: 'any', agent_id: '', timestamp: '2026-01-01T00:00:00+00:00' });
    await save(folder, { checkpoint_id: 'mine', agent_id: 'a', timestamp: '2026-01-01T00:00:00+00:00' });
    await save(folder, { checkpoint_id: 'late', agent_id: 'b', timestamp: FUTURE });
    const source = await openKaizen(folder);
    const timeOfCopy = async (task: string, id: string) => {
      const plan = await source.plan({ kind: 'restore', ref: { task, id } });
      await apply(plan);
      const copy = plan.view.writes.items[0]?.ref ?? expect.fail('nothing is written');
      return /"timestamp": "([^"]*)"/.exec((await source.state(copy))?.text ?? '')?.[1];
    };
    expect(await timeOfCopy('', 'any')).toBe('2030-01-01T00:00:00.000001+00:00');
    expect(await timeOfCopy('a', 'mine')).toBe('2026-11-21T12:00:00.000000+00:00');
  });

  it('cannot come after the last one that Python knows: then nothing is planned', async () => {
    const folder = await temporaryFolder();
    await save(folder, { checkpoint_id: 'old', agent_id: 'a', timestamp: '2026-01-01T00:00:00+00:00' });
    await save(folder, { checkpoint_id: 'last', agent_id: 'a', timestamp: '9999-12-31T23:59:59.999999+00:00' });
    const source = await openKaizen(folder);
    const ref = { task: 'a', id: 'old' };
    expect((await errorOf(source.plan({ kind: 'restore', ref }))).message).toContain("can't be created");
    const fork = await source.plan({ kind: 'fork', ref, id: 'fork' });
    expect(fork.view.latestAfter).toEqual({ task: 'a', id: 'last' });
  });
});

describe('the call that continues from a copy', () => {
  const AWARE = '2026-01-01T00:00:00+00:00';
  const NAIVE = '2026-01-02T00:00:00';

  it.each([
    ['resumes the agent where Kaizen lists its checkpoints', 'a', [AWARE, AWARE], '', 'resume_from_latest("a")'],
    ['resumes the agent where no time has a zone', 'a', [NAIVE, NAIVE], '', 'resume_from_latest("a")'],
    ['loads the copy by its id where Kaizen lists nothing for mixed times', 'a', [AWARE, NAIVE], '', 'load_checkpoint'],
    ['loads the copy by its id where the agent id is empty', '', [AWARE, AWARE], '', 'load_checkpoint'],
    ['is not named where Kaizen cannot load the copy', 'a', [AWARE, AWARE], '"of_a_later_version": 1, ', undefined],
  ])('%s', async (_, agent, times, more, call) => {
    const folder = await temporaryFolder();
    for (const [at, timestamp] of times.entries()) {
      const path = await save(folder, { checkpoint_id: `c${at}`, agent_id: agent, timestamp });
      await writeFile(path, (await readFile(path, 'utf8')).replace('{', `{${more}`));
    }
    const source = await openKaizen(folder);
    const plan = await source.plan({ kind: 'restore', ref: { task: agent, id: 'c0' } });
    const id = plan.view.writes.items[0]?.ref.id ?? '';
    const words = call === 'load_checkpoint' ? `load_checkpoint("${id}")` : call;
    expect(plan.view.next).toBe(words && `await manager.${words}`);
  });
});

describe('an agent that may still run', () => {
  it.each([
    ['saved a moment ago', 'running', 0, ['agent_active']],
    ['saved just within the minute', 'running', 59_000, ['agent_active']],
    ['saved a minute ago', 'running', 60_000, []],
    ['has a file time in the future', 'running', -1_000, []],
    ['has completed', 'completed', 0, []],
  ] as const)('%s', async (_, status, ageMs, warnings) => {
    const folder = await temporaryFolder();
    const ref = { task: 'a', id: 'old' };
    const old = await save(folder, { checkpoint_id: 'old', agent_id: 'a', timestamp: '2026-01-01T00:00:00+00:00' });
    const head = { checkpoint_id: 'head', agent_id: 'a', timestamp: '2026-01-01T00:01:00+00:00', status };
    const path = await save(folder, head);
    await utimes(old, new Date(0), new Date(0));
    const at = new Date(NOW.getTime() - ageMs);
    await utimes(path, at, at);
    const plan = await (await openKaizen(folder, NOW)).plan({ kind: 'restore', ref });
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(warnings);
  });
});

describe('delete', () => {
  it('is refused for a link, and what it leads to stays', async () => {
    const folder = await copyOf('plain');
    const outside = join(await temporaryFolder(), 'outside.jsonl');
    await writeFile(outside, 'kept');
    await symlink(outside, join(folder, 'link.jsonl'));
    const before = await readdir(folder);
    const source = await openKaizen(folder);
    const ref = { task: 'unassigned files', id: 'link.jsonl' };
    const error = await errorOf(source.plan({ kind: 'delete', refs: [ref] }));
    expect(error).toMatchObject({ code: 'unsupported', data: ref });
    expect(error.message).toMatch(/^"link\.jsonl" can't be moved to the trash: ./);
    expect(InspectorError.from(error.cause).code).toBe('unreadable');
    expect(await readdir(folder)).toEqual(before);
    expect(await readFile(outside, 'utf8')).toBe('kept');
  });

  it('of one of two files under one id names the bytes of that file', async () => {
    const folder = await copyOf('plain');
    const twin = { checkpoint_id: 'ckpt_7ac6c1b3b3b3', agent_id: 'research_agent' };
    const text = kaizenDocument({ ...twin, timestamp: '2026-03-14T09:00:00+00:00' });
    await writeFile(join(folder, 'twin.jsonl'), text);
    const source = await openKaizen(folder);
    const ref = { task: twin.agent_id, id: twin.checkpoint_id };
    const plan = await source.plan({ kind: 'delete', refs: [{ ...ref, namespace: 'twin.jsonl' }, ref] });
    const hashes = plan.view.preconditions.map((condition) => 'revision' in condition && condition.revision);
    expect(plan.job.steps).toEqual({
      ops: [
        { op: 'trash', path: 'twin.jsonl', sha256: hashes[0] },
        { op: 'trash', path: 'ckpt_7ac6c1b3b3b3.jsonl', sha256: hashes[1] },
      ],
    });
    expect((await apply(plan)).failed).toEqual([]);
    expect(await source.find(twin.checkpoint_id)).toEqual([]);
  });
});
