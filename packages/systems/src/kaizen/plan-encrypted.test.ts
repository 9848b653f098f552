import { isChangeable, type Plan } from '@checkpoint-inspector/core';
import { chmod, cp, readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOf, fixture, openKaizen, PASSPHRASE, refOf, temporaryFolder } from './fixtures/open.ts';
import { decryptedBy, kaizenLoads, kaizenResumes, wholeFolder } from './fixtures/independent.ts';
import { apply, errorOf, save, SECRETS, unlocked } from './fixtures/unlocked.ts';
import { undoPlan } from '../test-executor.ts';

const TASK = 'research_agent';

describe('changes of an unlocked store', () => {
  const SOURCE = { task: TASK, id: 'ckpt_4e2e8b93dc5d' };

  const everything = (plan: Plan) =>
    JSON.stringify(plan, (_, value: unknown) => {
      if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
      return typeof value === 'bigint' ? String(value) : value;
    });

  it.each([
    ['enc', '.enc.jsonl', SOURCE.id],
    ['enc-gz', '.enc.gz.jsonl', 'ckpt_968430d3502a'],
  ] as const)(
    'restore in %s writes %s, encrypted, and undo leaves the folder byte for byte',
    async (name, ending, id) => {
      const folder = await copyOf(name);
      for (const file of await readdir(folder)) await chmod(join(folder, file), 0o640);
      const before = await wholeFolder(folder);
      const source = await unlocked(folder);
      const ref = { task: TASK, id };
      const plan = await source.plan({ kind: 'restore', ref });
      const copy = plan.view.writes.items[0]?.ref ?? ref;
      expect(SECRETS.filter((word) => everything(plan).includes(word))).toEqual([]);
      expect(plan.view.warnings).toMatchObject([
        { code: 'kaizen_never_lists', message: expect.stringContaining("won't see") },
      ]);
      expect(plan.view.next).toBe(`await manager.load_checkpoint("${copy.id}")`);
      expect(plan.view.evicts.count).toBe(0);

      const applied = await apply(plan);
      expect((await readdir(folder)).filter((file) => file.startsWith(copy.id))).toEqual([copy.id + ending]);
      expect((await source.latest(TASK)).ref).toEqual(copy);
      const restored = await source.state(copy);
      expect(restored?.revision).toBe(plan.view.proofHash);
      expect(await kaizenResumes(folder, TASK)).toBeUndefined();
      const loaded = await kaizenLoads(folder, copy.id, decryptedBy(PASSPHRASE));
      const original = JSON.parse((await source.state(ref))?.text ?? '') as object;
      expect(loaded).toEqual({
        ...original,
        checkpoint_id: copy.id,
        parent_checkpoint_id: id,
        timestamp: '2026-11-21T12:00:00.000000+00:00',
      });

      const images = JSON.stringify(applied.images.map(({ mark }) => mark));
      expect(SECRETS.filter((word) => images.includes(word))).toEqual([]);
      await undoPlan(plan, applied.images);
      expect(await wholeFolder(folder)).toEqual(before);
    },
  );

  it('fork and delete hold encrypted bytes only, and delete is undone byte for byte', async () => {
    const folder = await copyOf('enc');
    // Whole seconds: a modification time is put back to the microsecond, and rounding may take one.
    for (const file of await readdir(folder)) await utimes(join(folder, file), 1_790_000_000, 1_790_000_000);
    const before = await wholeFolder(folder);
    const source = await unlocked(folder);
    const fork = await source.plan({ kind: 'fork', ref: SOURCE, targetTask: 'new_agent' });
    expect(SECRETS.filter((word) => everything(fork).includes(word))).toEqual([]);
    const plan = await source.plan({ kind: 'delete', refs: [SOURCE] });
    const applied = await apply(plan);
    const [image] = applied.images;
    const kept = image?.content && Buffer.from(image.content);
    expect(kept).toEqual(await readFile(join(fixture('enc'), `${SOURCE.id}.enc.jsonl`)));
    expect(await source.state(SOURCE)).toBeUndefined();
    await undoPlan(plan, applied.images);
    expect(await wholeFolder(folder)).toEqual(before);
  });

  it('locked files beside open ones can be deleted, and only they refuse a restore', async () => {
    const folder = await copyOf('enc');
    await cp(fixture('plain'), folder, { recursive: true });
    const source = await openKaizen(folder);
    expect(isChangeable(source)).toBe(true);
    const locked = { task: 'unassigned files', id: `${SOURCE.id}.enc.jsonl` };
    expect((await errorOf(source.plan({ kind: 'restore', ref: locked }))).code).toBe('locked');
    const applied = await apply(await source.plan({ kind: 'delete', refs: [locked] }));
    expect(applied.failed).toEqual([]);
    const note = (await source.latest(TASK)).note;
    expect(note).toBeUndefined();
    await source.unlock(PASSPHRASE);
    expect((await source.latest(TASK)).note).toBeDefined();
  });
});

describe('plain and encrypted checkpoints of one agent', () => {
  async function mixed() {
    const folder = await temporaryFolder();
    await save(folder, { checkpoint_id: 'first', timestamp: '2026-03-14T09:00:00' }, 'plain');
    await save(folder, { checkpoint_id: 'second', timestamp: '2026-03-14T09:01:00' }, 'plain');
    await save(folder, { checkpoint_id: 'third', timestamp: '2026-03-14T09:02:00.000001+00:00' });
    return { folder, source: await unlocked(folder) };
  }

  it('the newest is the latest, and the note says which one Kaizen takes', async () => {
    const { folder, source } = await mixed();
    const latest = await source.latest('a');
    expect(latest.ref?.id).toBe('third');
    expect(latest.note).toBe('Kaizen itself never lists encrypted files: its resume_from_latest picks second.');
    expect((await kaizenResumes(folder, 'a'))?.checkpoint_id).toBe('second');
  });

  it('a restored plain one keeps the time form of those that Kaizen lists, an encrypted one its own', async () => {
    const { folder, source } = await mixed();
    const plan = await source.plan({ kind: 'restore', ref: { task: 'a', id: 'first' } });
    expect(plan.view.warnings).toEqual([]);
    await apply(plan);
    expect(await kaizenResumes(folder, 'a')).toMatchObject({
      parent_checkpoint_id: 'first',
      timestamp: '2026-11-21T12:00:00.000000',
    });
    await apply(await source.plan({ kind: 'restore', ref: { task: 'a', id: 'third' } }));
    const { ref } = await source.latest('a');
    expect((await source.state(ref ?? expect.fail('no latest')))?.text).toContain('12:00:00.000001+00:00"');
  });
});

describe.each(['plain', 'gz'] as const)('restore in %s', (name) => {
  it('is what Kaizen itself resumes then, and undo leaves the folder byte for byte', async () => {
    const folder = await copyOf(name);
    const before = await wholeFolder(folder);
    const source = await openKaizen(folder);
    const ref = refOf((await source.checkpoints(TASK)).items.at(-1) ?? expect.fail('no checkpoint'));
    const original = await kaizenLoads(folder, ref.id);
    expect((await kaizenResumes(folder, TASK))?.checkpoint_id).toBe((await source.latest(TASK)).ref?.id);
    const plan = await source.plan({ kind: 'restore', ref });
    const applied = await apply(plan);
    expect(await kaizenResumes(folder, TASK)).toEqual({
      ...original,
      checkpoint_id: plan.view.writes.items[0]?.ref.id,
      parent_checkpoint_id: ref.id,
      timestamp: '2026-11-21T12:00:00.000000+00:00',
    });
    await undoPlan(plan, applied.images);
    expect(await wholeFolder(folder)).toEqual(before);
  });
});
