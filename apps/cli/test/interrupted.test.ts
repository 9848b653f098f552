import { copyFileSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createChangeService, openJournal } from '@checkpoint-inspector/changes';
import { InspectorError, type Receipt } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../src/workspace.ts';
import { workplace } from './run.ts';

const TASK = 'research_agent';

/** A prune whose process ended before its receipt was kept. With `part` one of the files is not deleted yet. */
async function cutOff({ part }: { readonly part: boolean }) {
  const place = workplace();
  const store = place.kaizen();
  const other = place.kaizen('other');
  const before = readdirSync(store);
  const saved = place.path('saved');
  cpSync(store, saved, { recursive: true });
  const journal = openJournal({ folder: place.state });
  const workspace = await openWorkspace([store], { readOnly: true, journalFolder: place.state });
  const finish = (): never => {
    throw new InspectorError('disk_full', 'no space');
  };
  const changes = createChangeService({
    journal: { ...journal, finish },
    sources: (id) => workspace.stores.source(id),
    readOnly: false,
  });
  const [info] = workspace.stores.list();
  const plan = await changes.preview(info?.id ?? expect.fail(), {
    kind: 'prune',
    task: TASK,
    policy: { beyondNewest: 1 },
  });
  await expect(changes.apply(plan.id)).rejects.toMatchObject({ code: 'disk_full' });
  await workspace.close();
  journal.close();
  const names = before.filter((name) => !readdirSync(store).includes(name));
  if (part) copyFileSync(join(saved, names[0] ?? ''), join(store, names[0] ?? ''));
  return { place, store, other, before, files: () => readdirSync(store), deleted: names.length };
}

it('is settled by no command that has another store open', async () => {
  const { place, other, files } = await cutOff({ part: true });
  const left = files();
  const id = readdirSync(other)[0]?.replace('.jsonl', '') ?? '';
  const done = await place.run('delete', id, '--yes', '-s', other);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(files()).toEqual(left);
});

it('is listed with how far it got, and named by a dry run of undo', async () => {
  const { place, store, files, deleted } = await cutOff({ part: true });
  const left = files();
  const words = `A prune in kaizen was interrupted: task ${TASK}, begun `;
  for (const args of [['receipts'], ['undo', '--dry-run']]) {
    const { out } = await place.run(...args, '-s', store);
    expect(out).toContain(words);
    expect(out).toContain(`${deleted - 1} of ${deleted} steps done`);
  }
  expect((await place.run('receipts')).out).toContain(words);
  expect(await place.json('receipts', '-s', store)).toMatchObject({
    items: [],
    interrupted: [{ request: { kind: 'prune' }, progress: { done: deleted - 1, of: deleted } }],
  });
  expect((await place.run('receipts', '-s', place.path('other'))).out).toBe('No changes yet.\n');
  expect(files()).toEqual(left);
});

it('is rolled back by the next change of its store, which says so, also where that is not applied', async () => {
  const { place, store, before, files } = await cutOff({ part: true });
  const id = before[0]?.replace('.jsonl', '') ?? '';
  const done = await place.run('delete', id, '-s', store);
  expect(done.err).toContain('note: A prune in kaizen had been interrupted. What it had already deleted is back.\n');
  expect(files()).toEqual(before);
  const { items } = (await place.json('receipts', '-s', store)) as { items: Receipt[] };
  expect(items).toMatchObject([{ request: { kind: 'prune' }, done: [], removed: [] }]);
});

it('is what undo undoes, and not the change before it', async () => {
  const { place, store, before, files } = await cutOff({ part: true });
  const receipt = (await place.json('undo', '-s', store)) as Receipt;
  expect(receipt).toMatchObject({ request: { kind: 'prune' }, done: [] });
  expect(files()).toEqual(before);
});

it('is finished where all was deleted, and can be undone', async () => {
  const { place, store, before, files, deleted } = await cutOff({ part: false });
  const told = await place.run('undo', '--yes', '-s', store);
  expect(told.err).toMatch(
    new RegExp(
      `A prune in kaizen had been interrupted and is now finished: ${deleted} checkpoints deleted. Undo: .* undo `,
    ),
  );
  expect(files()).toEqual(before);
});

/** An undo of the second of two restores, whose process ended before its receipt was kept. */
async function undoCutOff() {
  const place = workplace();
  const store = place.kaizen();
  const files = () => readdirSync(store);
  const [id] = files().map((name) => name.replace('.jsonl', ''));
  await place.run('restore', id ?? '', '--yes', '-s', store);
  const first = files();
  const { id: receiptId } = (await place.json('restore', id ?? '', '--yes', '-s', store)) as Receipt;
  const second = files().find((name) => !first.includes(name)) ?? expect.fail();
  const saved = place.path('saved');
  copyFileSync(join(store, second), saved);
  const journal = openJournal({ folder: place.state });
  const workspace = await openWorkspace([store], { readOnly: true, journalFolder: place.state });
  const finish = (): never => {
    throw new InspectorError('disk_full', 'no space');
  };
  const sources = (of: Receipt['store']) => workspace.stores.source(of);
  const changes = createChangeService({ journal: { ...journal, finish }, sources, readOnly: false });
  await expect(changes.undo(receiptId)).rejects.toMatchObject({ code: 'disk_full' });
  await workspace.close();
  journal.close();
  expect(files()).toEqual(first);
  return { place, store, first, files, receiptId, putBack: () => copyFileSync(saved, join(store, second)) };
}

describe('an undo that was cut off', () => {
  it('is finished by the same command, which undoes no other change', async () => {
    const { place, store, first, files } = await undoCutOff();
    expect((await place.run('undo', '--yes', '-s', store)).err).toContain('An undo in kaizen had been interrupted');
    expect(files()).toEqual(first);
  });

  it.each([[false], [true]])('is made again where it had not come far (named: %s)', async (named) => {
    const { place, store, first, files, receiptId, putBack } = await undoCutOff();
    putBack();
    const done = await place.run('undo', ...(named ? [receiptId] : []), '--yes', '-s', store);
    expect(done.code).toBe(0);
    expect(files()).toEqual(first);
  });
});
