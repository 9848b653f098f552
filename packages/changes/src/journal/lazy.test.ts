import { storeId, type InspectorError } from '@checkpoint-inspector/core';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openJournalWhenNeeded } from './journal.ts';

const STORE = storeId('agents');
const REF = { task: 'run', id: 'c1' };
const folders: string[] = [];

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-journal-'));
  folders.push(folder);
  return join(folder, 'state');
}

afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('a journal that is opened when it is needed', () => {
  it('answers every question on a fresh machine and leaves nothing behind', () => {
    const folder = emptyFolder();
    const journal = openJournalWhenNeeded({ folder });
    expect(journal.receipts()).toEqual({ items: [] });
    expect(journal.trash()).toEqual({ items: [] });
    expect(journal.openIntents()).toEqual([]);
    expect(journal.sidecar('/s', STORE)).toEqual([]);
    expect(journal.annotations.of('/x', REF)).toEqual({ ref: REF, labels: [] });
    expect(journal.trashDays()).toBe(30);
    journal.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('is made by the first call that keeps something, and read by the next program', () => {
    const folder = emptyFolder();
    const first = openJournalWhenNeeded({ folder });
    first.annotations.addLabel('/x', REF, 'good');
    first.close();
    expect(readdirSync(folder)).toContain('journal.sqlite');
    const second = openJournalWhenNeeded({ folder });
    expect(second.annotations.of('/x', REF).labels).toEqual(['good']);
    second.close();
  });

  it('lets a view go on without a journal that cannot be opened, says so once, and refuses what needs it', () => {
    const folder = emptyFolder();
    openJournalWhenNeeded({ folder }).annotations.addLabel('/x', REF, 'good');
    writeFileSync(
      join(folder, 'journal.sqlite'),
      'this is not a database, and longer than a header would be '.repeat(3),
    );
    for (const side of ['-wal', '-shm']) rmSync(join(folder, `journal.sqlite${side}`), { force: true });
    const told: InspectorError[] = [];
    const journal = openJournalWhenNeeded({ folder, onUnavailable: (error) => told.push(error) });
    expect(journal.sidecar('/s', STORE)).toEqual([]);
    expect(journal.annotations.ofPlace('/x')).toEqual([]);
    expect(told.map(({ code }) => code)).toEqual(['unreadable']);
    expect(() => journal.receipts()).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
});
