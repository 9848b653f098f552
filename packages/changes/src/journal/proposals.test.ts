import { storeId, type PlanView } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openJournal } from './journal.ts';
import { openProposals } from './proposals.ts';
import { openJournalFile } from './schema.ts';
import type { Journal, ProposalRecords } from './types.ts';

const DAY_MS = 86_400_000;
const none = { count: 0, items: [] };
const plan: PlanView = {
  id: 'plan',
  expiresAt: '2026-01-01T00:15:00.000Z',
  request: { kind: 'restore', ref: { task: 't', id: 'a' } },
  store: storeId('db'),
  task: 't',
  preconditions: [],
  writes: none,
  moves: none,
  removes: none,
  evicts: none,
  protected: none,
  warnings: [],
  latestBefore: { basis: 'none' },
  bytesFreed: 0,
};
const SECRET = 'planted-4711'.repeat(50);
const proposal = {
  store: storeId('db'),
  location: '/data/agent.db',
  request: { kind: 'edit', ref: { task: 't', id: 'a' }, text: `{"n":"${SECRET}"}` },
  by: { name: 'agent', version: '1' },
  reason: 'It reads a stale cache.',
  plan,
} as const;

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-proposals-'));
  journal = openJournal({ folder });
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** The same journal at another time. */
function at<T>(time: number, work: (proposals: ProposalRecords) => T): T {
  const db = openJournalFile(folder);
  try {
    return work(openProposals(db, () => time));
  } finally {
    db.close();
  }
}

it('a proposal is there for the next process, as it was made', () => {
  const { id } = journal.proposals.add(proposal);
  const { request, ...rest } = proposal;
  const next = openJournal({ folder });
  expect(next.proposals.list()).toEqual([expect.objectContaining({ id, ...rest, outcome: 'open' })]);
  expect(next.proposals.request(id)).toEqual(request);
  next.close();
});

it('one process that dismisses is seen by the other, which can no longer', () => {
  const { id } = journal.proposals.add(proposal);
  const other = openJournal({ folder });
  other.proposals.dismiss(id);
  expect(journal.proposals.get(id)).toMatchObject({ outcome: 'dismissed', decidedAt: expect.any(String) });
  expect(() => journal.proposals.dismiss(id)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  expect(() => journal.proposals.dismiss('none')).toThrow(expect.objectContaining({ code: 'not_found' }));
  other.close();
});

it('a client that proposes without end leaves room for another', () => {
  for (let n = 0; n < 20; n++) journal.proposals.add(proposal);
  expect(() => journal.proposals.add(proposal)).toThrow(expect.objectContaining({ code: 'busy' }));
  const other = journal.proposals.add({ ...proposal, by: { name: 'another' } });
  journal.proposals.dismiss(journal.proposals.list().find(({ id }) => id !== other.id)?.id ?? '');
  expect(journal.proposals.add(proposal).outcome).toBe('open');
});

it('a client that takes ever new names does not fill the journal', () => {
  let made = 0;
  const add = () => journal.proposals.add({ ...proposal, by: { name: `agent ${made++}` } });
  expect(() => {
    for (let n = 0; n < 500; n++) add();
  }).toThrow(expect.objectContaining({ code: 'busy' }));
  expect(journal.proposals.list()).toHaveLength(200);
});

it('expires after thirty days: it can no longer be decided, takes no room, and is forgotten later', () => {
  const { id } = journal.proposals.add(proposal);
  const now = Date.now();
  at(now + 29 * DAY_MS, ({ get }) => expect(get(id)?.outcome).toBe('open'));
  at(now + 31 * DAY_MS, ({ get, dismiss }) => {
    expect(get(id)?.outcome).toBe('expired');
    expect(() => dismiss(id)).toThrow(/has expired/);
  });
  at(now + 31 * DAY_MS, ({ add, get, request }) => {
    for (let n = 0; n < 20; n++) add(proposal);
    expect([get(id)?.outcome, request(id)]).toEqual(['expired', undefined]);
  });
  at(now + 61 * DAY_MS, ({ add, get }) => {
    add(proposal);
    expect(get(id)).toBeUndefined();
  });
});

it('the state of a proposed edit is in no file of the journal once it is decided', () => {
  const { id } = journal.proposals.add(proposal);
  journal.proposals.dismiss(id);
  journal.close();
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.filter((text) => text.includes(SECRET))).toEqual([]);
  journal = openJournal({ folder });
});

it('a journal of an earlier version takes proposals', () => {
  const old = join(folder, 'old');
  mkdirSync(old);
  const db = openSqlite(join(old, 'journal.sqlite'), { readOnly: false, create: true });
  db.exec(readFileSync(new URL('../fixtures/journal-of-format-1.sql', import.meta.url), 'utf8'));
  db.close();
  const opened = openJournal({ folder: old });
  expect(opened.proposals.list()).toEqual([]);
  const { id } = opened.proposals.add(proposal);
  expect(opened.proposals.get(id)?.outcome).toBe('open');
  opened.close();
});
