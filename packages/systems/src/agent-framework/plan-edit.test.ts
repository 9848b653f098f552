import { patchJson, type EditRequest, type JsonEdit } from '@checkpoint-inspector/core';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOf, filesIn, openFolder } from './fixtures/open.ts';
import { codes, run, storeOf, textOf, undo, written } from './fixtures/plans.ts';
import { pythonLatest } from './fixtures/python.ts';
import type { AgentFrameworkSource } from './read.ts';

const FLOW = 'counter-flow';
const SOURCE = { task: FLOW, id: 'ba27aec7-6203-483a-9a90-4715a3bf7e95' };
const COUNT: JsonEdit = { path: ['iteration_count'], text: '42' };

async function edited(
  source: AgentFrameworkSource,
  ref: EditRequest['ref'],
  edits: readonly JsonEdit[],
  more: object = {},
) {
  return source.plan({ kind: 'edit', ref, text: patchJson(await textOf(source, ref), edits), ...more });
}

describe('an edit of a Python checkpoint', () => {
  it('is a child with the newest time; the rest of the text stays byte for byte', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    const all = await filesIn(folder);
    const before = await readFile(join(folder, `${SOURCE.id}.json`), 'utf8');
    const plan = await edited(source, SOURCE, [COUNT], { reason: 'again' });
    const images = await run(plan);
    const child = written(plan);
    expect(await readFile(join(folder, `${child.id}.json`), 'utf8')).toBe(
      patchJson(before, [
        COUNT,
        { path: ['checkpoint_id'], text: `"${child.id}"` },
        { path: ['previous_checkpoint_id'], text: `"${SOURCE.id}"` },
        { path: ['timestamp'], text: '"2026-11-21T14:00:00+00:00"' },
      ]),
    );
    expect(await pythonLatest(folder, FLOW)).toBe(child.id);
    expect(plan.view).toMatchObject({
      latestAfter: child,
      warnings: [],
      next: `await workflow.run(checkpoint_id="${child.id}")`,
    });
    expect((await source.checkpoints(FLOW)).items[0]).toMatchObject({
      parentId: SOURCE.id,
      lineage: 'recorded',
      stepIndex: 42,
    });
    await undo(plan, images);
    expect(await filesIn(folder)).toEqual(all);
  });

  it('may move and remove pickled values, never change or add one', async () => {
    const folder = await copyOf('hitl');
    const source = await openFolder(folder);
    const [task] = (await source.tasks()).items;
    const { items } = await source.checkpoints(task?.id ?? '');
    const texts = await Promise.all(
      items.map(async ({ taskId, id }) => ({
        ref: { task: taskId, id },
        text: await textOf(source, { task: taskId, id }),
      })),
    );
    const held = texts.find(({ text }) => text.includes('__pickled__'));
    if (!held) throw new Error('The fixture holds pickled values.');
    const plan = (text: string) => source.plan({ kind: 'edit', ref: held.ref, text });
    const pretty = JSON.stringify(JSON.parse(held.text), undefined, 7);
    expect(codes(await plan(pretty))).toContain('unchanged');
    const changed = held.text.replace(/"__pickled__": "(.{8})/, '"__pickled__": "AAAAAAAA');
    expect(changed).not.toBe(held.text);
    await expect(plan(changed)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Loading it would run'),
    });
    const planted = patchJson(held.text, [
      { path: ['metadata'], text: '{"x": {"__pickled__": "gASVAA==", "__type__": "os:system"}}' },
    ]);
    await expect(plan(planted)).rejects.toMatchObject({ code: 'unsupported', data: { path: '$.metadata.x' } });
  });

  it('warns when its graph is no longer that of the latest, and when Python would not load it', async () => {
    const { source } = await storeOf({ id: 'a' }, { id: 'b', timestamp: '2026-03-14T10:00:00+00:00' });
    const ref = { task: 'flow', id: 'a' };
    const other = await edited(source, ref, [{ path: ['graph_signature_hash'], text: `"${'b'.repeat(64)}"` }]);
    expect(codes(other)).toEqual(['graph_changed']);
    const text = (await textOf(source, ref)).replace('{', '{"mine": 1,');
    expect(codes(await source.plan({ kind: 'edit', ref, text }))).toEqual(['not_loaded']);
  });

  it('refuses a text of another form, and says what it sets itself', async () => {
    const { source } = await storeOf({ id: 'a' });
    const ref = { task: 'flow', id: 'a' };
    const text = (await textOf(source, ref)).replace('{', '{"checkpointId": "x", "workflowId": "y",');
    await expect(source.plan({ kind: 'edit', ref, text })).rejects.toMatchObject({ code: 'invalid_input' });
    const named = await edited(source, ref, [{ path: ['workflow_name'], text: '"other"' }]);
    expect([named.view.warnings[0]?.code, named.view.writes.items[0]?.ref.task]).toEqual(['set_by_save', 'flow']);
  });

  it('into a workflow of its own is the head there', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    const plan = await edited(source, SOURCE, [COUNT], { targetTask: 'counter-flow-2' });
    await run(plan);
    expect(await pythonLatest(folder, 'counter-flow-2')).toBe(written(plan).id);
  });
});

describe('an edit of the other forms', () => {
  it('of the TypeScript document leaves the parent to the sidecar', async () => {
    const folder = await copyOf('document');
    const source = await openFolder(folder);
    const [task] = (await source.tasks()).items;
    const [meta] = (await source.checkpoints(task?.id ?? '')).items;
    const ref = { task: task?.id ?? '', id: meta?.id ?? '' };
    const text = (await textOf(source, ref)).replace('{', '{"note": 1,');
    const plan = await source.plan({ kind: 'edit', ref, text });
    expect(plan.view.sidecar).toEqual([{ child: written(plan), parent: ref }]);
    await run(plan);
    expect((await source.latest(ref.task)).ref).toEqual(written(plan));
    expect((await source.state(written(plan)))?.revision).toBe(plan.view.proofHash);
  });

  it('is refused where a copy would resume nothing, in words', async () => {
    for (const name of ['legacy-2025-09', 'dotnet'] as const) {
      const source = await openFolder(await copyOf(name));
      const [task] = (await source.tasks()).items;
      const [meta] = (await source.checkpoints(task?.id ?? '')).items;
      expect(source.info.capabilities.edit).toBe(source.info.capabilities.restore);
      const plan = source.plan({ kind: 'edit', ref: { task: task?.id ?? '', id: meta?.id ?? '' }, text: '{}' });
      await expect(plan).rejects.toMatchObject({ code: 'unsupported' });
    }
  });

  it('writes letters as they are where the file has others than ASCII', async () => {
    const { folder, source } = await storeOf({ id: 'a', state: { name: 'Zoë' } });
    const text = (await textOf(source, { task: 'flow', id: 'a' })).replace('Zoë', 'Zoé');
    const plan = await source.plan({ kind: 'edit', ref: { task: 'flow', id: 'a' }, text });
    await run(plan);
    expect(await readFile(join(folder, `${written(plan).id}.json`), 'utf8')).toContain('"Zoé"');
    await writeFile(join(folder, 'b.json'), 'torn');
    await expect(source.plan({ kind: 'edit', ref: { task: 'flow', id: 'b' }, text })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
