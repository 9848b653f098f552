import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refKey, storeId } from '../ids.ts';
import type { CheckpointMeta } from '../model.ts';
import { planRetention, type RetentionItem } from './plan.ts';
import type { RetentionPolicy } from './match.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const STATUSES = ['completed', 'failed', 'interrupted', 'pending'] as const;

const rowArb = fc.record({
  days: fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
  parent: fc.option(fc.nat(30), { nil: undefined }),
  lineage: fc.constantFrom('recorded' as const, 'sidecar' as const, 'inferred' as const),
  status: fc.constantFrom(...STATUSES),
  trigger: fc.constantFrom('auto' as const, 'fork' as const),
  namespace: fc.constantFrom(undefined, 'ns'),
  problem: fc.boolean().map((torn) => torn && ({ code: 'unreadable', message: 'torn' } as const)),
  marked: fc.boolean(),
});

/** Rows of one task, newest first; the first readable one is the latest. */
const tableArb = fc.array(rowArb, { maxLength: 30 }).map((specs) => {
  const first = specs.findIndex(({ problem }) => !problem);
  return specs.map(({ days, parent, problem, namespace, marked, ...spec }, at): CheckpointMeta => ({
    store: storeId('s'),
    taskId: 't',
    id: `c${at}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(days === undefined ? {} : { createdAt: new Date(NOW.getTime() - days * 86_400_000).toISOString() }),
    ...(parent === undefined ? {} : { parentId: `c${parent}` }),
    ...spec,
    timeBasis: days === undefined ? 'none' : 'utc',
    seq: at + 1,
    labels: marked ? ['bookmark'] : [],
    sizeBytes: 1,
    isLatest: at === first,
    ...(problem ? { problem } : {}),
  }));
});

const policyArb: fc.Arbitrary<RetentionPolicy> = fc.record(
  {
    olderThanDays: fc.integer({ min: 0, max: 60 }),
    beyondNewest: fc.integer({ min: 0, max: 20 }),
    status: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
    text: fc.constantFrom('c', 'c1'),
  },
  { requiredKeys: ['olderThanDays'] },
);

const plan = (rows: readonly CheckpointMeta[], policy: RetentionPolicy) =>
  planRetention(rows, policy, {
    now: NOW,
    protectedBy: ({ labels }) => (labels.includes('bookmark') ? 'bookmarked' : undefined),
  });
const keysOf = (items: readonly RetentionItem[]) => new Set(items.map(({ ref }) => refKey(ref)));

describe('whatever the rows and the policy', () => {
  it('every row is in one place', () => {
    fc.assert(
      fc.property(tableArb, policyArb, (rows, policy) => {
        const { drop, keep, skipped, others } = plan(rows, policy);
        const all = [drop, keep, skipped].flatMap((items) => [...keysOf(items)]);
        expect(new Set(all).size).toBe(all.length);
        expect(all.length + others).toBe(rows.length);
      }),
    );
  });

  it('never drops the latest, a bookmark, the newest of a namespace, what has no time, or what cannot be read', () => {
    fc.assert(
      fc.property(tableArb, policyArb, (rows, policy) => {
        const { drop, keep } = plan(rows, policy);
        const gone = keysOf(drop);
        for (const row of rows) {
          const isGone = gone.has(refKey({ ...row, task: 't' }));
          const stays = row.isLatest || row.labels.length > 0 || row.timeBasis === 'none' || row.problem !== undefined;
          expect(isGone && stays).toBe(false);
          if (row.isLatest) expect(keysOf(keep)).toContain(refKey({ ...row, task: 't' }));
        }
        for (const namespace of [undefined, 'ns']) {
          const newest = rows.find((row) => row.namespace === namespace && row.problem === undefined);
          expect(newest !== undefined && gone.has(refKey({ ...newest, task: 't' }))).toBe(false);
        }
      }),
    );
  });

  it('never drops what a kept fork was made from', () => {
    fc.assert(
      fc.property(tableArb, policyArb, (rows, policy) => {
        const gone = keysOf(plan(rows, policy).drop);
        for (const row of rows) {
          const isFork = row.lineage === 'sidecar' || (row.lineage === 'recorded' && row.trigger === 'fork');
          if (!isFork || row.parentId === undefined || gone.has(refKey({ ...row, task: 't' }))) continue;
          expect(gone.has(refKey({ ...row, task: 't', id: row.parentId }))).toBe(false);
        }
      }),
    );
  });

  it('drops more under a wider policy, and never less', () => {
    const widened = ({ olderThanDays = 0, beyondNewest, status }: RetentionPolicy): RetentionPolicy[] => [
      { olderThanDays },
      { olderThanDays: Math.max(0, olderThanDays - 7), ...(beyondNewest === undefined ? {} : { beyondNewest }) },
      { olderThanDays, ...(beyondNewest === undefined ? {} : { beyondNewest: Math.max(0, beyondNewest - 3) }) },
      { olderThanDays, ...(status === undefined ? {} : { status: [...status, 'failed'] }) },
    ];
    fc.assert(
      fc.property(tableArb, policyArb, (rows, policy) => {
        const narrow = keysOf(plan(rows, policy).drop);
        for (const wider of widened(policy)) {
          const wide = keysOf(plan(rows, wider).drop);
          for (const key of narrow) expect(wide).toContain(key);
        }
      }),
    );
  });
});
