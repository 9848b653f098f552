import { patchJson, type EditRequest, type JsonEdit } from '@checkpoint-inspector/core';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apply, copyOf, diskOf, openRlmAct, undo } from './fixtures/open.ts';
import type { RlmActSource } from './read.ts';

const TASK = 'python-new-york';
const SOURCE = { task: TASK, id: '37f9aa4b-c0b9-4901-b3ee-a9df8167c170' };
const MODE: JsonEdit = { path: ['state', 'autonomy_mode'], text: '"batch"' };

async function edited(source: RlmActSource, ref: EditRequest['ref'], edits: readonly JsonEdit[]) {
  return source.plan({ kind: 'edit', ref, text: patchJson((await source.state(ref))?.text ?? '', edits) });
}

/** The pipeline's own rule: the greatest timestamp as text. */
async function pipelineResumes(folder: string): Promise<{ id: string; timestamp: string }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const all = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
  return all.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0] as { id: string; timestamp: string };
}

describe('an edit', () => {
  it('is a newer checkpoint of the project, byte for byte but what was changed, its id and its time', async () => {
    const folder = await copyOf(TASK);
    const disk = await diskOf(folder);
    const source = await openRlmAct(folder);
    const head = await pipelineResumes(folder);
    const plan = await edited(source, SOURCE, [MODE]);
    expect(plan.view).toMatchObject({
      warnings: [],
      next: expect.stringContaining('silmari-rlm-act resume --project'),
    });
    const applied = await apply(plan);
    const child = plan.view.latestAfter ?? SOURCE;
    const now = await pipelineResumes(folder);
    expect([now.id, now.timestamp > head.timestamp]).toEqual([child.id, true]);
    const before = await readFile(join(folder, `${SOURCE.id}.json`), 'utf8');
    expect(await readFile(join(folder, `${child.id}.json`), 'utf8')).toBe(
      patchJson(before, [
        MODE,
        { path: ['id'], text: `"${child.id}"` },
        { path: ['timestamp'], text: `"${now.timestamp}"` },
      ]),
    );
    expect(plan.view.sidecar).toEqual([{ child, parent: SOURCE }]);
    await undo(plan, applied);
    expect(await diskOf(folder)).toEqual(disk);
  });

  it('of the phase is where the pipeline then continues; id and time are not for the text to say', async () => {
    const source = await openRlmAct(await copyOf(TASK));
    const plan = await edited(source, SOURCE, [
      { path: ['phase'], text: '"research-failed"' },
      { path: ['timestamp'], text: '"2099-01-01T00:00:00.000000Z"' },
    ]);
    expect(plan.view.warnings).toMatchObject([{ code: 'set_by_save', message: expect.stringContaining('timestamp') }]);
    await apply(plan);
    const [latest] = (await source.checkpoints(TASK)).items;
    expect([latest?.status, latest?.createdAtText?.startsWith('2099')]).toEqual(['failed', false]);
  });

  it('takes NaN only where Python wrote the checkpoint: the Go port cannot read it', async () => {
    const nan: JsonEdit = { path: ['state'], text: '{"score": NaN}' };
    const python = await openRlmAct(await copyOf(TASK));
    expect((await edited(python, SOURCE, [nan])).view.writes.count).toBe(1);
    const go = await openRlmAct(await copyOf('go'));
    const [ref] = (await go.checkpoints('go')).items.map(({ taskId, id }) => ({ task: taskId, id }));
    await expect(edited(go, ref ?? SOURCE, [nan])).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('NaN, which the Go port of rlm-act cannot read'),
    });
  });

  it('warns where Python would fail to load it, and refuses another project and what is not a document', async () => {
    const source = await openRlmAct(await copyOf(TASK));
    const broken = await edited(source, SOURCE, [{ path: ['state'], text: '{}' }]);
    expect(broken.view.warnings.map(({ code }) => code)).toEqual(['python_fails']);
    const text = (await source.state(SOURCE))?.text ?? '';
    await expect(source.plan({ kind: 'edit', ref: SOURCE, text, targetTask: 'other' })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await expect(source.plan({ kind: 'edit', ref: SOURCE, text: 'null' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});
