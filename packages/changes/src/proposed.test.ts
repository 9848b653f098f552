/** What applying a plan does to the proposal that it is for. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openJournal } from './journal/journal.ts';
import type { Journal } from './journal/types.ts';
import { createChangeService } from './service.ts';
import { makeBench, restore, START, type Bench } from './testing/bench.ts';
import { STORE } from './testing/stores.ts';
import type { ChangeDeps } from './types.ts';
import { dirname } from 'node:path';

let bench: Bench;
let other: Journal;
beforeEach(async () => {
  bench = await makeBench();
  // Another process has a journal and a service of its own.
  other = openJournal({ folder: dirname(bench.journal.path) });
});
afterEach(async () => {
  other.close();
  await bench.close();
});

const serve = (journal: Journal, more: Partial<ChangeDeps> = {}) =>
  createChangeService({ journal, sources: () => bench.store, readOnly: false, ...more });

async function propose() {
  const request = restore('c2');
  const plan = await serve(bench.journal).preview(STORE, request);
  return bench.journal.proposals.add({ store: STORE, request, by: { name: 'agent' }, plan }).id;
}

it('of two processes that apply one proposal at once exactly one does', async () => {
  const proposal = await propose();
  const services = [serve(bench.journal), serve(other)];
  const plans = await Promise.all(services.map((service) => service.preview(STORE, restore('c2'), { proposal })));
  const ends = await Promise.allSettled(services.map((service, at) => service.apply(plans[at]?.id ?? '')));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(bench.journal.receipts().items).toHaveLength(1);
  const [receipt] = bench.journal.receipts().items;
  expect(other.proposals.get(proposal)).toMatchObject({ outcome: 'applied', receiptId: receipt?.id });
  expect(other.proposals.ofReceipt(receipt?.id ?? '')?.id).toBe(proposal);
});

it('one that was dismissed meanwhile is not applied, and nothing is written', async () => {
  const proposal = await propose();
  const service = serve(bench.journal);
  const plan = await service.preview(STORE, restore('c2'), { proposal });
  other.proposals.dismiss(proposal);
  await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'invalid_input', message: /was dismissed/ });
  expect(await bench.content()).toEqual(START);
  expect(bench.journal.openIntents()).toEqual([]);
});

it('one whose change failed is open again', async () => {
  const proposal = await propose();
  let broken = true;
  const onStep = (step: string) => {
    if (broken && step === 'write:0:temp') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const service = serve(bench.journal, { onStep });
  const plan = await service.preview(STORE, restore('c2'), { proposal });
  await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'disk_full' });
  expect(other.proposals.get(proposal)?.outcome).toBe('open');
  broken = false;
  await service.apply(plan.id);
  expect(other.proposals.get(proposal)?.outcome).toBe('applied');
});

it('one whose process ended in the middle is decided by what becomes of the change', async () => {
  const proposal = await propose();
  const onStep = (step: string) => {
    if (step === 'before-receipt') throw new Error('killed');
  };
  const service = serve(bench.journal, { onStep });
  const plan = await service.preview(STORE, restore('c2'), { proposal });
  await expect(service.apply(plan.id)).rejects.toThrow('killed');
  expect(() => other.proposals.dismiss(proposal)).toThrow(/was applied/);
  const [recovered] = await serve(other).recover();
  expect(recovered?.outcome).toBe('completed');
  expect(other.proposals.get(proposal)).toMatchObject({ outcome: 'applied', receiptId: recovered?.receipt?.id });
});

it('one whose change was cut off and put back is open again, with its request', async () => {
  const proposal = await propose();
  const onStep = (step: string) => {
    if (step === 'write:0:temp') throw new Error('cut off');
  };
  // The process ends before it can put back what it has begun.
  const cut = { ...bench.journal, abandon: () => undefined };
  const service = serve(cut, { onStep });
  const plan = await service.preview(STORE, restore('c2'), { proposal });
  await expect(service.apply(plan.id)).rejects.toThrow();
  expect(other.proposals.get(proposal)?.outcome).toBe('applied');
  const [recovered] = await serve(other).recover();
  expect(recovered?.outcome).toBe('rolled-back');
  expect(await bench.content()).toEqual(START);
  expect(other.proposals.get(proposal)?.outcome).toBe('open');
  expect(other.proposals.request(proposal)).toEqual(restore('c2'));
});
