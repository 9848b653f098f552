import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { openJournal } from './journal.ts';

it('a cleared journal contains nothing, works on, and opens again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-clear-'));
  const ref = { task: 't', id: 'a' };
  const journal = openJournal({ folder });
  journal.addSidecar('/one', [{ child: ref, parent: { task: 't', id: 'b' } }]);
  journal.annotations.addLabel('place', ref, 'bookmark');
  journal.clear();
  expect(journal.sidecar('/one', storeId('one'))).toEqual([]);
  expect(journal.annotations.of('place', ref).labels).toEqual([]);
  expect(journal.receipts().items).toEqual([]);
  journal.annotations.addLabel('place', ref, 'kept');
  journal.close();
  const again = openJournal({ folder });
  expect(again.annotations.of('place', ref).labels).toEqual(['kept']);
  again.close();
  rmSync(folder, { recursive: true });
});
