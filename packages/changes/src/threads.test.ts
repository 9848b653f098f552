/** Threads of Codex: every change is a new file, or takes a whole thread. */
import { storeIdFrom, type ChangeRequest, type CheckpointSource } from '@checkpoint-inspector/core';
import { codexSystem } from '@checkpoint-inspector/systems/codex';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import { makeBench, type Bench } from './testing/bench.ts';
import type { ChangeService } from './types.ts';

const THREAD = '01a2011b-519e-7ef3-a57d-9b85062cac8e';
const SECOND = { task: THREAD, id: '01a2011b-5230-7512-8953-9c15b725e065' };

let bench: Bench;
let store: CheckpointSource;
let service: ChangeService;
beforeEach(async () => {
  bench = await makeBench();
  const path = join(bench.base, 'home');
  await cp(new URL('../../systems/src/codex/fixtures/home', import.meta.url), path, { recursive: true });
  const options = { label: 'codex', location: path, nameStore: (name: string) => storeIdFrom(name) };
  const [source] = await codexSystem.open({ kind: 'path', path, is: 'folder' }, options);
  if (!source) throw new Error('The home has no source.');
  store = source;
  service = createChangeService({ journal: bench.journal, sources: () => source, readOnly: false });
});
afterEach(async () => {
  await store.close?.();
  await bench.close();
});

const apply = async (request: ChangeRequest) => service.apply((await service.preview(store.info.id, request)).id);
const threads = async () => (await store.tasks({ limit: 1000 })).items.map(({ id }) => id).toSorted();

it('a restore, a fork and an edit make a thread each, with proof, and are undone', async () => {
  const before = await threads();
  const text = (await store.state(SECOND))?.text.replace('answer 1', 'another answer') ?? '';
  const requests: ChangeRequest[] = [
    { kind: 'restore', ref: SECOND },
    { kind: 'fork', ref: SECOND },
    { kind: 'edit', ref: SECOND, text },
  ];
  for (const request of requests) {
    const receipt = await apply(request);
    expect(receipt, request.kind).toMatchObject({ proof: 'same', failed: [], undoable: true });
    expect(await threads()).toHaveLength(before.length + 1);
    expect(await service.undo(receipt.id)).toMatchObject({ proof: expect.stringMatching(/same|none/) });
    expect(await threads()).toEqual(before);
  }
});

it('a thread is deleted as a whole, brought back, and never pruned in part', async () => {
  const { taskId: task = '' } = (await store.checkpoints('01a2011b-5506-73d0-b433-942e0e60ab5f')).items[0] ?? {};
  const refs = (await store.checkpoints(task)).items.map(({ id }) => ({ task, id }));
  const gone = await apply({ kind: 'delete', refs });
  expect([gone.failed, (await store.checkpoints(task)).items]).toEqual([[], []]);
  await service.undo(gone.id);
  expect((await store.checkpoints(task)).items).toHaveLength(refs.length);
  const prune = service.preview(store.info.id, { kind: 'prune', task, policy: { beyondNewest: 1 } });
  await expect(prune).rejects.toMatchObject({ code: 'unsupported' });
});
