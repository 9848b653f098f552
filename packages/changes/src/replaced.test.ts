/** A store that is no longer the one that the plan was made for. */
import { type CheckpointSource, type InspectorError } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import { makeBench, remove, restore, START, type Bench } from './testing/bench.ts';
import { STORE } from './testing/stores.ts';

let bench: Bench;
beforeEach(async () => (bench = await makeBench()));
afterEach(() => bench.close());

const serve = (store: CheckpointSource) =>
  createChangeService({ journal: bench.journal, sources: () => store, readOnly: false });

/** What lies at the path goes elsewhere; a link to it, or a copy of it, takes its place. */
async function replace(path: string, by: 'link' | 'copy'): Promise<void> {
  const away = join(bench.base, 'away');
  await rename(path, away);
  await (by === 'link' ? symlink(away, path) : cp(away, path, { recursive: true }));
}

const refused = expect.objectContaining({ code: 'changed' }) as InspectorError;

describe.each(['link', 'copy'] as const)('a %s with the same content, after the preview,', (by) => {
  it('in place of the folder is refused, and nothing is written', async () => {
    const service = serve(bench.store);
    const plan = await service.preview(STORE, restore('c2'));
    await replace(bench.folder, by);
    await expect(service.apply(plan.id)).rejects.toEqual(refused);
    expect(await bench.content()).toEqual(START);
    await service.apply((await service.preview(STORE, restore('c2'))).id);
  });

  it('in place of the folder is refused by an undo too', async () => {
    const service = serve(bench.store);
    const receipt = await service.apply((await service.preview(STORE, remove('c1'))).id);
    const before = await bench.content();
    const plan = await service.preview(STORE, { kind: 'undo', receiptId: receipt.id });
    await replace(bench.folder, by);
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'undo_conflict' });
    expect(await bench.content()).toEqual(before);
  });

  it('in place of a database is refused, and nothing is written', async () => {
    const path = join(bench.base, 'n.db');
    const writer = await openSqliteStore({ path, id: STORE });
    for (const id of ['a', 'b', 'c']) await writer.save({ task: 't', id, text: '{}' });
    await writer.close();
    const store = await openSqliteStore({ path, id: STORE, readOnly: true });
    const service = serve(store);
    const plan = await service.preview(STORE, { kind: 'delete', refs: [{ task: 't', id: 'a' }] });
    await replace(path, by);
    await expect(service.apply(plan.id)).rejects.toEqual(refused);
    expect((await store.checkpoints('t')).items.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    await store.close();
  });
});

it('a document that is a link now is refused, one that its program has replaced with the same content is not', async () => {
  const service = serve(bench.store);
  const plan = await service.preview(STORE, remove('c1'));
  const path = join(bench.folder, 'c1.json');
  const content = await readFile(path);
  await mkdir(join(bench.base, 'elsewhere'));
  await rename(path, join(bench.base, 'elsewhere/c1.json'));
  await symlink(join(bench.base, 'elsewhere/c1.json'), path);
  await expect(service.apply(plan.id)).rejects.toEqual(refused);
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
  await service.apply((await service.preview(STORE, remove('c1'))).id);
  expect(Object.keys(await bench.content())).toEqual(['c2.json', 'c3.json']);
});
