import { InspectorError, type ChangeRequest } from '@checkpoint-inspector/core';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createChangeService } from './service.ts';
import { makeBench, ref, remove, type Bench } from './testing/bench.ts';
import { STORE } from './testing/stores.ts';
import type { ChangeService } from './types.ts';

let bench: Bench;
let service: ChangeService;

beforeEach(async () => {
  bench = await makeBench();
  service = createChangeService({ journal: bench.journal, sources: () => bench.store, readOnly: false });
});
afterEach(() => bench.close());

async function apply(request: ChangeRequest) {
  return service.apply((await service.preview(STORE, request)).id);
}

it('a removed checkpoint keeps the name that it had, in the receipt, in the trash and in the plan that brings it back', async () => {
  const receipt = await apply(remove('c1', 'c2'));
  const names = [ref('c1'), ref('c2')].map((one, at) => ({ ref: one, step: { seq: at + 1 } }));
  expect(receipt.steps).toEqual(names);
  const trashed = await service.trash();
  expect(trashed.items.toReversed()).toMatchObject(names);
  const back = await service.preview(STORE, { kind: 'undo', receiptId: receipt.id });
  expect(back.writes.items).toMatchObject(names);
});

it('one is removed all the same where nobody can say how it was called', async () => {
  vi.spyOn(bench.store, 'meta').mockRejectedValue(new InspectorError('unreadable', 'torn'));
  const plan = await service.preview(STORE, remove('c1'));
  vi.restoreAllMocks();
  const receipt = await service.apply(plan.id);
  expect(receipt.removed).toEqual([ref('c1')]);
  expect(receipt).not.toHaveProperty('steps');
});

it('keeps its name where only a part of the plan can still be done', async () => {
  const plan = await service.preview(STORE, remove('c1', 'c2'));
  await unlink(join(bench.folder, 'c1.json'));
  const { removed, steps } = await service.apply(plan.id);
  expect(removed).toEqual([ref('c2')]);
  expect(steps).toEqual([{ ref: ref('c2'), step: { seq: 2 } }]);
});
