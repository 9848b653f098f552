import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeParts } from '../testing/parts.ts';
import { change, writeFormat1 } from './testing/format-1.ts';
import { openSqliteStore } from './store.ts';

function newFile(): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-parts-'));
  return { folder, path: join(folder, 'store.db') };
}

describeParts(async () => {
  const { folder, path } = newFile();
  return {
    open: (options) => openSqliteStore({ path, ...options }),
    run: async (sql) => change(path, sql),
    remove: async () => rmSync(folder, { recursive: true }),
  };
});

it('the differences are left to the texts in a file of the first format', async () => {
  const { folder, path } = newFile();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await writeFormat1(path, [
    { task: 't', id: 'a', text: '1' },
    { task: 't', id: 'b', text: '2' },
  ]);
  const old = await openSqliteStore({ path, readOnly: true });
  const ref = (id: string) => ({ task: 't', id });
  expect(await old.diff(ref('a'), ref('b'))).toBeUndefined();
  await old.close();
});
