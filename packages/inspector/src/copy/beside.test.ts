import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refOfMeta, type Beside, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { explain } from '../explain/explain.ts';
import { defaultRegistry } from '../stores/registry.ts';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { openFixture } from '../testing/fixtures.ts';
import { copyStore } from './copy.ts';
import { openCopyTarget } from './target.ts';

async function copied(source: CheckpointSource): Promise<CheckpointSource> {
  const folder = mkdtempSync(join(tmpdir(), 'beside-test-'));
  const path = join(folder, 'copy.db');
  const target = await openCopyTarget(path, { source }, defaultRegistry());
  expect(await copyStore(source, target)).toMatchObject({ unreadable: [], conflicts: [], failed: [] });
  await target.close();
  const copy = await openSqliteStore({ path, readOnly: true });
  onTestFinished(async () => {
    await copy.close();
    rmSync(folder, { recursive: true });
  });
  return copy;
}

/** Channels with which LangGraph keeps its own books. */
const OWN = ['__scheduled__', '__resume__'];

const shown = ({ error, errors, requests, writes = [], next }: Partial<Beside> = {}) => ({
  error,
  errors: errors ?? [],
  requests: requests ?? [],
  writes: writes
    .filter(({ channel }) => !OWN.includes(channel))
    .map(({ taskId, node, channel, text }) => ({ taskId, node, channel, text })),
  next: [...(next ?? [])].sort(),
});

it('copies namespaces, errors, questions, writes and what runs next, and the explanation is the same', async () => {
  const source = await openFixture('langgraph/fixtures/js.sqlite');
  const copy = await copied(source);
  let compared = 0;
  for await (const { id: task } of everyTask(source)) {
    for await (const meta of everyRow(source, task)) {
      const ref = refOfMeta(meta);
      const [one, other] = [shown(await source.beside?.(ref)), shown(await copy.beside?.(ref))];
      expect(other, `${task} ${meta.id}`).toEqual(one);
      compared += one.writes.length + one.errors.length + one.requests.length;
    }
  }
  expect(compared).toBeGreaterThan(400);
  // Which paths are passed over is a rule of the store, so what was written may be told otherwise.
  const facts = async (from: CheckpointSource) => {
    const { writes: _told, ...rest } = await explain(from, { task: 'node-error' });
    return rest;
  };
  expect(await facts(copy)).toEqual(await facts(source));
}, 120_000);

it('copies exactly what a store of our own keeps beside its states, and adds what was written since', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beside-own-'));
  const source = await openSqliteStore({ path: join(folder, 'from.db') });
  onTestFinished(async () => {
    await source.close();
    rmSync(folder, { recursive: true });
  });
  const ref = { task: 't', namespace: 'part', id: 'c1' };
  await source.save({ ...ref, text: '{"n": 1.0}', beside: '{"next":["a"],"versions":{"x":3}}' });
  await source.save({ ...ref, id: 'c2', parent: ref, text: '2' });
  await source.saveWrites(ref, [{ run: 'r', index: -1, channel: 'x', text: '1.0', node: 'a', path: 'p' }]);
  const path = join(folder, 'to.db');
  const copy = async () => {
    const target = await openCopyTarget(path, { source }, defaultRegistry());
    const report = await copyStore(source, target);
    await target.close();
    const store = await openSqliteStore({ path, readOnly: true });
    const saved = await store.load(ref);
    await store.close();
    return { report, saved };
  };
  const first = await copy();
  expect(first.report).toMatchObject({ copied: 2, verified: 2, notKept: [], failed: [] });
  expect(first.saved).toMatchObject({ beside: '{"next":["a"],"versions":{"x":3}}', text: '{"n": 1.0}' });
  await source.saveWrites(ref, [{ run: 'r', index: 0, channel: '__error__', text: '"no"' }]);
  const second = await copy();
  expect(second.report).toMatchObject({ copied: 0, present: 2, verified: 2, failed: [] });
  expect(second.saved?.writes).toEqual((await source.load(ref))?.writes);
});
