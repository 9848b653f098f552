import { storeId, toEnd, type InSteps } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import type { StoredFile } from './files.ts';
import { listing } from './meta.ts';
import { snapshotInSteps, snapshotOf } from './rows.ts';
import { kaizenDocument } from './fixtures/write.ts';
import { readDocument } from './document.ts';

const COUNT = 10_000;

function fileAt(n: number): StoredFile {
  const id = `ckpt_${String(n).padStart(6, '0')}`;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString().replace('Z', '+00:00');
  const { facts } = readDocument(kaizenDocument({ checkpoint_id: id, agent_id: 'a', timestamp }));
  const name = `${id}.jsonl`;
  const times = { mtimeMs: n, mtimeNs: BigInt(n) * 1_000_000n };
  const entry = { name, size: 10, ...times, ino: BigInt(n), mode: 0o600, uid: 0, gid: 0, file: true, link: false };
  return { name, id, variant: 'plain', entry, ...(facts ? { facts } : {}) };
}

function stops(work: InSteps<unknown>): number {
  let count = 0;
  while (!work.next().done) count += 1;
  return count;
}

it('places the files of a large folder with stops, each after a small part of the work', () => {
  const files = Array.from({ length: COUNT }, (_, n) => fileAt(COUNT - n));
  const folder = { files, others: [], unread: 0 };
  // By agent, by id, as rows, by time, in order, by place, in lists: each is a pass over all of them.
  expect(stops(snapshotInSteps(folder))).toBeGreaterThanOrEqual((7 * COUNT) / 2_500);
  const snapshot = snapshotOf(folder);
  const task = snapshot.tasks.get('a') ?? expect.fail('The agent has files.');
  expect(task.rows.map(({ seq, ref }) => [seq, ref.id]).slice(0, 2)).toEqual([
    [1, 'ckpt_000001'],
    [2, 'ckpt_000002'],
  ]);
  const asked = () => listing.task(storeId('k'), task, snapshot);
  expect(stops(asked())).toBeGreaterThanOrEqual(COUNT / 2_500);
  expect(toEnd(asked())).toMatchObject({
    checkpointCount: COUNT,
    latestId: 'ckpt_010000',
    updatedAt: '2026-01-01T02:46:40.000Z',
  });
});
