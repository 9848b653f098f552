import { closeSync, cpSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '@checkpoint-inspector/io';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import { verifyStores } from './verify.ts';

const FIXTURE = resolve(import.meta.dirname, '../../../../packages/systems/src/langgraph/fixtures/js.sqlite');
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  path = join(folder, 'checkpoints.sqlite');
  cpSync(FIXTURE, path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function verified() {
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(path);
  try {
    return await verifyStores(stores);
  } finally {
    await stores.closeAll();
  }
}

describe('verifying open stores', () => {
  it('finds a sound database sound', async () => {
    const { items, damaged } = await verified();
    expect(items).toMatchObject([{ system: 'langgraph', checkpoints: 477, damaged: 0, integrity: ['ok'] }]);
    expect(damaged).toBe(0);
  });

  it('tells what SQLite says of a file whose pages are damaged', async () => {
    const file = openSync(path, 'r+');
    const half = Math.floor(statSync(path).size / 2 / 4096) * 4096;
    writeSync(file, Buffer.alloc(64, 0xff), 0, 64, half);
    closeSync(file);
    const { items, failures, damaged } = await verified();
    expect(damaged).toBeGreaterThan(0);
    expect(items[0]?.integrity?.[0] ?? failures[0]?.error.message).not.toBe('ok');
  });

  it('names the row whose state is cut off, and reads the others', async () => {
    const database = openSqlite(path, { readOnly: false });
    const row = database
      .prepare<{ id: string }>('SELECT checkpoint_id AS id FROM checkpoints ORDER BY checkpoint_id DESC')
      .get();
    database
      .prepare('UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 20) WHERE checkpoint_id = ?')
      .run(row?.id ?? '');
    database.close();
    const { items, damaged } = await verified();
    expect(damaged).toBeGreaterThan(0);
    expect(items[0]?.read).toBe(477 - damaged);
    expect(items[0]?.findings.filter(({ kind }) => kind === 'damaged')).toMatchObject([{ ref: { id: row?.id } }]);
  });
});
