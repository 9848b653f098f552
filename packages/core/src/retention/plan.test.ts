import { describe, expect, it } from 'vitest';
import { storeId } from '../ids.ts';
import type { CheckpointMeta } from '../model.ts';
import { policyText } from './match.ts';
import { planRetention } from './plan.ts';
import type { RetentionPolicy } from './match.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();

/** A row that is so many days old. */
function row(id: string, days: number, more: Partial<CheckpointMeta> = {}): CheckpointMeta {
  return {
    store: storeId('s'),
    id,
    taskId: 't',
    lineage: 'none',
    seq: 1,
    createdAt: daysAgo(days),
    timeBasis: 'utc',
    status: 'completed',
    labels: [],
    sizeBytes: 10,
    isLatest: false,
    ...more,
  };
}
const child = (id: string, days: number, parentId: string, more: Partial<CheckpointMeta> = {}) =>
  row(id, days, { parentId, lineage: 'recorded', ...more });
const latest = row('head', 1, { isLatest: true });

const plan = (rows: readonly CheckpointMeta[], policy: RetentionPolicy = { olderThanDays: 30 }) =>
  planRetention(rows, policy, { now: NOW });
const ids = (items: readonly { readonly ref: { readonly id: string } }[]) => items.map(({ ref }) => ref.id);

describe('what a policy names', () => {
  it('goes by age, and leaves what is exactly as old or has no time', () => {
    const timeless = row('timeless', 0, { timeBasis: 'none' });
    const { createdAt: _, ...noTime } = timeless;
    const result = plan([latest, row('new', 29.9), row('edge', 30), row('old', 30.1), noTime]);
    expect(ids(result.drop)).toEqual(['old']);
    expect(result.drop[0]).toEqual({
      ref: { task: 't', id: 'old' },
      reason: '30 days old',
      sizeBytes: 10,
      step: { seq: 1 },
    });
    expect(result.others).toBe(3);
  });

  it('reads a local time as late as it can be, so that no zone makes it older than it is', () => {
    const local = (id: string, createdAtText: string): CheckpointMeta => {
      const { createdAt: _, ...rest } = row(id, 0, { timeBasis: 'local', createdAtText });
      return rest;
    };
    const result = plan([
      latest,
      local('a', '2026-05-01T18:00:00.000000Z'),
      local('b', '2026-05-01T11:00:00.000000+00:00'),
      local('c', 'yesterday'),
      local('d', '2026-05-01 11:59'),
    ]);
    expect(ids(result.drop)).toEqual(['b', 'd']);
  });

  it('takes all conditions together', () => {
    const rows = [
      latest,
      row('a', 40, { status: 'failed', description: 'Compile REPORT' }),
      row('b', 41, { status: 'failed' }),
      row('report-c', 42, { status: 'failed' }),
      row('report-d', 43),
    ];
    const policy = { olderThanDays: 1, beyondNewest: 2, status: ['failed'], text: ' report ' } as const;
    const result = plan(rows, policy);
    expect(ids(result.drop)).toEqual(['report-c']);
    expect(result.drop[0]?.reason).toBe('42 days old, not among the newest 2, failed, with "report"');
    expect(policyText({ ...policy, text: 'report' })).toBe(
      'older than 1 day and not among the newest 2 and failed and with "report" in the id or description',
    );
  });

  it.each([
    [2 / 24, 5 / 24, 'older than 2 hours', '5 hours old'],
    [1 / 24, 1.5 / 24, 'older than 1 hour', '1 hour old'],
    [30 / 24, 31 / 24, 'older than 30 hours', '31 hours old'],
    [1.5 / 24, 2 / 24, 'older than 90 minutes', '120 minutes old'],
    [1, 2.5, 'older than 1 day', '2 days old'],
    [28, 40, 'older than 28 days', '40 days old'],
    [0, 5 / 24, 'older than 0 days', '5 hours old'],
    [0, 90 / 86_400, 'older than 0 days', '1 minute old'],
  ])('gives ages in the unit of the policy: %s days', (olderThanDays, days, words, reason) => {
    expect(policyText({ olderThanDays })).toBe(words);
    expect(plan([latest, row('a', days + 1e-6)], { olderThanDays }).drop[0]?.reason).toBe(reason);
  });

  it.each<[string, RetentionPolicy]>([
    ['nothing', {}],
    ['an empty status', { status: [] }],
    ['spaces', { text: '  ' }],
    ['a negative age', { olderThanDays: -1 }],
    ['no number', { olderThanDays: Number.NaN }],
    ['half a checkpoint', { beyondNewest: 1.5 }],
  ])('refuses a policy of %s', (_, policy) => {
    expect(() => plan([latest], policy)).toThrowError(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('says what a number must be, and what it is if it is one', () => {
    const saidOf = (policy: RetentionPolicy) => expect(() => plan([latest], policy));
    saidOf({ beyondNewest: Number.NaN }).toThrow('The number of checkpoints to keep must be a whole number.');
    saidOf({ beyondNewest: 1.5 }).toThrow('must be a whole number, not 1.5.');
    saidOf({ olderThanDays: Number.NaN }).toThrow('The age must be 0 or more days.');
    saidOf({ olderThanDays: -1 }).toThrow('must be 0 or more days, not -1.');
  });
});

describe('what stays', () => {
  it('is the latest, listed even where the policy does not name it', () => {
    const all = plan([latest, row('old', 50)], { beyondNewest: 0 });
    expect(all.keep).toMatchObject([{ ref: { task: 't', id: 'head' }, reason: 'latest: the task resumes from it' }]);
    expect(ids(all.drop)).toEqual(['old']);
    expect(ids(plan([latest, row('old', 50)]).keep)).toEqual(['head']);
  });

  it('is the newest of every namespace', () => {
    const inner = { namespace: 'child:1' };
    const result = plan([latest, row('i2', 40, inner), row('i1', 41, inner)]);
    expect(ids(result.drop)).toEqual(['i1']);
    expect(result.keep.at(-1)).toMatchObject({
      ref: { namespace: 'child:1', id: 'i2' },
      reason: 'newest in child:1',
    });
  });

  it('is an open request, and not one that was answered', () => {
    const result = plan([
      latest,
      row('open', 40, { status: 'interrupted' }),
      row('waits', 41, { status: 'pending' }),
      child('answer', 42, 'asked'),
      row('asked', 43, { status: 'interrupted' }),
    ]);
    expect(result.keep.map(({ reason }) => reason)).toEqual([
      'latest: the task resumes from it',
      "waiting for a person's answer",
      'waiting to be resumed',
    ]);
    expect(ids(result.drop)).toEqual(['answer', 'asked']);
  });

  it('is what protectedBy names', () => {
    const result = planRetention(
      [latest, row('a', 40), row('b', 40)],
      { olderThanDays: 30 },
      {
        now: NOW,
        protectedBy: ({ id }) => (id === 'a' ? 'bookmarked' : undefined),
      },
    );
    expect(result.keep.at(-1)).toMatchObject({ ref: { id: 'a' }, reason: 'bookmarked' });
    expect(ids(result.drop)).toEqual(['b']);
  });

  it('is what a kept fork or restore was made from, through every edge that was made', () => {
    const result = plan([
      { ...latest, ...child('head', 1, 'copy'), isLatest: true },
      child('copy', 40, 'source', { lineage: 'sidecar' }),
      row('between', 41),
      child('source', 42, 'root'),
      row('root', 43),
    ]);
    expect(ids(result.drop)).toEqual(['copy', 'between', 'root']);
    expect(result.keep.at(-1)).toMatchObject({
      ref: { id: 'source' },
      reason: 'the branch made from it is kept: copy',
    });
  });

  it('is not a source of a fork that goes, nor a row that others only follow', () => {
    const result = plan([
      latest,
      child('fork', 40, 'source', { trigger: 'fork' }),
      child('next', 20, 'before', { lineage: 'inferred' }),
      row('source', 41),
      row('before', 42),
    ]);
    expect(ids(result.drop)).toEqual(['fork', 'source', 'before']);
  });

  it('is the point where two branches that stay part, and no point before it', () => {
    const result = plan([
      latest,
      child('a2', 5, 'a1'),
      child('b1', 6, 'point'),
      child('a1', 40, 'point'),
      child('point', 41, 'root'),
      row('root', 42),
    ]);
    expect(ids(result.drop)).toEqual(['a1', 'root']);
    expect(result.keep.at(-1)).toMatchObject({
      ref: { id: 'point' },
      reason: 'fork point of 2 branches that are kept',
    });
  });

  it('ends on a cycle of parents', () => {
    expect(ids(plan([latest, child('a', 5, 'b'), child('b', 40, 'a')]).drop)).toEqual(['b']);
  });

  it('leaves out what cannot be read, and counts it nowhere', () => {
    const torn = row('torn', 90, { problem: { code: 'unreadable', message: 'Torn at byte 7.' } });
    const result = plan([torn, latest, row('old', 40)], { olderThanDays: 30, beyondNewest: 1 });
    expect(result.skipped).toMatchObject([
      { ref: { task: 't', id: 'torn' }, reason: 'Torn at byte 7.', sizeBytes: 10 },
    ]);
    expect(ids(result.drop)).toEqual(['old']);
    expect(result.others).toBe(0);
  });
});
