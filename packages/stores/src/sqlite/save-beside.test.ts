/** Saves through a store that the inspector has open for reading: the file must be there already. */
import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { lookInto, tableNames } from '@checkpoint-inspector/io';
import { existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSqliteStore } from './store.ts';
import { sqliteSystem } from './system.ts';

// As where the file is removed right after somebody has asked for it.
vi.mock('node:fs', async (original) => ({ ...(await original<object>()), existsSync: vi.fn(() => true) }));

const here = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

let folder: string;
let path: string;
let source: CheckpointSource;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'save-beside-'));
  path = join(folder, 'a.db');
  const agent = await openSqliteStore({ path });
  await agent.save({ id: 'a', task: 't', text: '{}' });
  await agent.close();
  const options = { label: 'a', location: path, nameStore: () => storeId('a') };
  const [only] = await sqliteSystem.open({ kind: 'path', path, is: 'file' }, options);
  if (!only) throw new Error('The file opens as one store.');
  source = only;
});

afterEach(async () => {
  await source.close?.();
  rmSync(folder, { recursive: true, force: true });
});

it('saves to the file that is there', async () => {
  expect(await source.save?.({ id: 'b', task: 't', text: '{}' })).toMatchObject({ id: 'b' });
  expect((await source.checkpoints('t')).items).toHaveLength(2);
});

it('a save to a file that is removed at this moment fails, and does not make it again', async () => {
  rmSync(path);
  expect(existsSync(path)).toBe(true);
  await expect(source.save?.({ id: 'b', task: 't', text: '{}' })).rejects.toMatchObject({ code: 'no_store' });
  expect(here(path)).toBe(false);
});

it('a save to a file that has been emptied fails, and makes no tables in it', async () => {
  await source.close?.();
  truncateSync(path);
  await expect(source.save?.({ id: 'b', task: 't', text: '{}' })).rejects.toMatchObject({ code: 'invalid_input' });
  expect(lookInto(path, tableNames) ?? []).toEqual([]);
});
