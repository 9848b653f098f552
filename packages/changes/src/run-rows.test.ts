/** Runs that are one row each, which every change overwrites, copies or deletes whole: Mastra, VoltAgent. */
import { storeIdFrom, type CheckpointSource, type System } from '@checkpoint-inspector/core';
import { mastraSystem } from '@checkpoint-inspector/systems/mastra';
import { voltagentSystem } from '@checkpoint-inspector/systems/voltagent';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import { placeOf } from './store.ts';
import { makeBench, type Bench } from './testing/bench.ts';

let bench: Bench;
let source: CheckpointSource | undefined;
beforeEach(async () => {
  bench = await makeBench();
});
afterEach(async () => {
  await source?.close?.();
  await bench.close();
});

async function opened(system: System) {
  const path = join(bench.base, `${system.id}.db`);
  await copyFile(new URL(`../../systems/src/${system.id}/fixtures/${system.id}.db`, import.meta.url), path);
  const options = { label: system.id, location: path, nameStore: (name: string) => storeIdFrom(name) };
  const [first] = await system.open({ kind: 'path', path, is: 'file' }, options);
  if (!first) throw new Error('The database has no source.');
  source = first;
  return {
    store: first,
    service: createChangeService({ journal: bench.journal, sources: () => first, readOnly: false }),
  };
}

const at = (task: string, index: number) => ({ task, id: `${task}:${index}` });

it.each([
  ['Mastra', mastraSystem, 'run-paid'],
  ['VoltAgent', voltagentSystem, 'paid-1'],
])('%s: a run goes back, is copied, and is undone, each with proof', async (_label, system, run) => {
  const { store, service } = await opened(system);
  const list = async (task: string) => (await store.checkpoints(task)).items;
  const before = await list(run);
  const back = await service.apply((await service.preview(store.info.id, { kind: 'restore', ref: at(run, 1) })).id);
  expect(back).toMatchObject({
    proof: 'same',
    failed: [],
    written: [at(run, 1)],
    latestNow: { ref: at(run, 1) },
    undoable: true,
  });
  expect((await list(run))[0]).toMatchObject({ id: `${run}:1`, status: 'interrupted' });
  expect(await service.undo(back.id)).toMatchObject({ proof: 'same' });
  expect(await list(run)).toEqual(before);

  const fork = await service.apply(
    (await service.preview(store.info.id, { kind: 'fork', ref: at(run, 1), targetTask: 'b' })).id,
  );
  expect(fork).toMatchObject({ proof: 'same', latestNow: { ref: at('b', 1) } });
  expect(bench.journal.sidecar(placeOf(store), store.info.id)).toEqual([{ child: at('b', 1), parent: at(run, 1) }]);
  const gone = await service.apply((await service.preview(store.info.id, { kind: 'delete', refs: [at('b', 1)] })).id);
  expect([gone.failed, await list('b')]).toEqual([[], []]);
  await service.undo(gone.id);
  expect(await list('b')).toHaveLength(2);
  await service.undo(fork.id);
});

it('nothing of a run is pruned: its older checkpoints are a part of the row', async () => {
  const { store, service } = await opened(mastraSystem);
  const request = { kind: 'prune', task: 'run-paid', policy: { beyondNewest: 1 } } as const;
  await expect(service.preview(store.info.id, request)).rejects.toMatchObject({ code: 'unsupported' });
});
