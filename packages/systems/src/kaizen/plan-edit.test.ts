import { InspectorError, patchJson, type EditRequest, type JsonEdit } from '@checkpoint-inspector/core';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { decryptedBy, kaizenLoads, kaizenResumes, wholeFolder } from './fixtures/independent.ts';
import { copyOf, openKaizen, PASSPHRASE, temporaryFolder } from './fixtures/open.ts';
import { SECRETS, unlocked } from './fixtures/unlocked.ts';
import type { KaizenSource } from './read.ts';
import { kaizenDocument } from './fixtures/write.ts';

const TASK = 'research_agent';
const PLAIN = { task: TASK, id: 'ckpt_7ac6c1b3b3b3' };
const STEP: JsonEdit = { path: ['step_number'], text: '42' };

async function edited(source: KaizenSource, ref: EditRequest['ref'], edits: readonly JsonEdit[], more: object = {}) {
  const text = patchJson((await source.state(ref))?.text ?? '', edits);
  return source.plan({ kind: 'edit', ref, text, ...more });
}

async function refused(text: string, more: Partial<EditRequest> = {}): Promise<unknown> {
  const source = await openKaizen(await copyOf('plain'));
  return source.plan({ kind: 'edit', ref: PLAIN, text, ...more }).catch((error: unknown) => InspectorError.from(error));
}

describe('an edit', () => {
  it.each(['plain', 'gz'] as const)('in %s is a new file of the same kind, and what Kaizen resumes', async (name) => {
    const folder = await copyOf(name);
    const source = await openKaizen(folder);
    const { items } = await source.checkpoints(TASK);
    const ref = { task: TASK, id: items.at(-1)?.id ?? '' };
    const ending = name === 'gz' ? '.jsonl.gz' : '.jsonl';
    await chmod(join(folder, ref.id + ending), 0o600);
    const [before, original] = [await wholeFolder(folder), await readFile(join(folder, ref.id + ending))];
    const plan = await edited(source, ref, [STEP], { reason: 'wrong step', author: 'Ann' });
    const { apply, undo } = executor();
    await apply(plan);
    const child = plan.view.writes.items[0]?.ref ?? ref;
    expect((await stat(join(folder, child.id + ending))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, ref.id + ending))).toEqual(original);
    expect(await kaizenResumes(folder, TASK)).toMatchObject({
      checkpoint_id: child.id,
      parent_checkpoint_id: ref.id,
      agent_id: TASK,
      step_number: 42,
    });
    expect(plan.view).toMatchObject({
      latestAfter: child,
      next: `await manager.resume_from_latest("${TASK}")`,
      warnings: [],
    });
    expect(plan.view.sidecar).toBeUndefined();
    await undo();
    expect(await wholeFolder(folder)).toEqual(before);
  });

  it('changes what was changed and the three tokens of the place, and not one byte more', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const plan = await edited(source, PLAIN, [STEP]);
    await executor().apply(plan);
    const child = plan.view.latestAfter?.id ?? '';
    const before = await readFile(join(folder, `${PLAIN.id}.jsonl`), 'utf8');
    expect(await readFile(join(folder, `${child}.jsonl`), 'utf8')).toBe(
      patchJson(before, [
        STEP,
        { path: ['checkpoint_id'], text: `"${child}"` },
        { path: ['timestamp'], text: '"2026-11-21T12:00:00.000000+00:00"' },
        { path: ['parent_checkpoint_id'], text: `"${PLAIN.id}"` },
      ]),
    );
  });

  it('says what it sets itself where the text names another id, parent, time or agent', async () => {
    const source = await openKaizen(await copyOf('plain'));
    const mine = ['checkpoint_id', 'parent_checkpoint_id', 'agent_id', 'timestamp'];
    const plan = await edited(
      source,
      PLAIN,
      mine.map((key) => ({ path: [key], text: '"mine"' })),
    );
    expect(plan.view.warnings).toMatchObject([{ code: 'set_by_save' }]);
    for (const key of mine) expect(plan.view.warnings[0]?.message).toContain(key);
    await executor().apply(plan);
    const state = await source.state(plan.view.latestAfter ?? PLAIN);
    expect([state?.revision, state?.text.includes('"mine"')]).toEqual([plan.view.proofHash, false]);
  });

  it('writes ASCII where the file is ASCII, and leaves the line end of an editor out', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const text = `${patchJson((await source.state(PLAIN))?.text ?? '', [{ path: ['metadata'], text: '{"note": "é🧪"}' }])}\n`;
    const plan = await source.plan({ kind: 'edit', ref: PLAIN, text });
    await executor().apply(plan);
    const stored = await readFile(join(folder, `${plan.view.latestAfter?.id}.jsonl`), 'utf8');
    expect(stored).toContain(String.raw`{"note": "\u00e9\ud83e\uddea"}`);
    expect(stored.endsWith('}\n')).toBe(true);
    expect(stored.endsWith('\n\n')).toBe(false);
    expect((await source.state(plan.view.latestAfter ?? PLAIN))?.revision).toBe(plan.view.proofHash);
  });

  it('into another agent takes its name along; one that is there is refused', async () => {
    const folder = await copyOf('plain');
    const source = await openKaizen(folder);
    const plan = await edited(source, PLAIN, [STEP], { targetTask: 'second agent' });
    await executor().apply(plan);
    expect(await kaizenResumes(folder, 'second agent')).toMatchObject({
      agent_id: 'second agent',
      step_number: 42,
      timestamp: '2026-11-21T12:00:00.000000+00:00',
    });
    await expect(edited(source, PLAIN, [STEP], { targetTask: 'done_agent' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('warns of keys that Kaizen fails to load, and names what its next save removes', async () => {
    const source = await openKaizen(await copyOf('plain'));
    const text = (await source.state(PLAIN))?.text.replace('{', '{"mine": 1, ') ?? '';
    const plan = await source.plan({ kind: 'edit', ref: PLAIN, text });
    expect(plan.view.warnings).toMatchObject([{ code: 'unknown_keys', message: expect.stringContaining('mine') }]);
    const folder = await temporaryFolder();
    for (let n = 0; n < 100; n++) {
      const id = `ckpt_${String(n).padStart(12, '0')}`;
      const timestamp = `2026-01-01T00:00:00.${String(n).padStart(6, '0')}+00:00`;
      await writeFile(join(folder, `${id}.jsonl`), kaizenDocument({ checkpoint_id: id, agent_id: 'a', timestamp }));
    }
    const full = await edited(await openKaizen(folder), { task: 'a', id: 'ckpt_000000000050' }, [STEP]);
    expect(full.view.evicts.items.map(({ ref, when }) => [ref.id, when])).toEqual([
      ['ckpt_000000000000', 'next-save'],
      ['ckpt_000000000001', 'next-save'],
    ]);
  });

  it('refuses what is not a document, and what is missing', async () => {
    expect(await refused('[1]')).toMatchObject({ code: 'invalid_input' });
    expect(await refused('{"a": }')).toMatchObject({
      code: 'invalid_input',
      data: { offset: 6, line: 1, column: 7 },
    });
    expect(await refused('{', { ref: { task: TASK, id: 'none' } })).toMatchObject({ code: 'not_found' });
  });
});

describe('an edit of an unlocked store', () => {
  it.each(['enc', 'enc-gz'] as const)(
    'in %s is encrypted with the same key; the plan has no decrypted word',
    async (name) => {
      const folder = await copyOf(name);
      const source = await unlocked(folder);
      const { items } = await source.checkpoints(TASK);
      const ref = { task: TASK, id: items.at(-1)?.id ?? '' };
      const plan = await edited(source, ref, [
        STEP,
        { path: ['metadata'], text: '{"sales_analysis": 1, "sales_analysis": 2}' },
      ]);
      const { request: _request, ...rest } = plan.view;
      const everything = JSON.stringify([rest, plan.job], (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      );
      expect(SECRETS.filter((word) => everything.includes(word))).toEqual([]);
      expect(plan.view.warnings.map(({ code }) => code)).toEqual(['duplicate_key', 'kaizen_never_lists']);
      await executor().apply(plan);
      const child = plan.view.latestAfter ?? ref;
      expect(await kaizenLoads(folder, child.id, decryptedBy(PASSPHRASE))).toMatchObject({
        step_number: 42,
        parent_checkpoint_id: ref.id,
      });
      expect((await source.state(child))?.revision).toBe(plan.view.proofHash);
      for (const file of await readdir(folder)) {
        const bytes = await readFile(join(folder, file), 'latin1');
        expect(SECRETS.filter((word) => bytes.includes(word))).toEqual([]);
      }
    },
  );

  it('is refused while it is locked', async () => {
    const source = await openKaizen(await copyOf('enc'));
    expect(source.info.capabilities.edit).toContain('Unlock');
    const [task] = (await source.tasks()).items;
    const [row] = (await source.checkpoints(task?.id ?? '')).items;
    const plan = source.plan({ kind: 'edit', ref: { task: task?.id ?? '', id: row?.id ?? '' }, text: '{}' });
    await expect(plan).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('Unlock') });
  });
});
