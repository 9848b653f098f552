import { closeSync, cpSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '@checkpoint-inspector/io';
import { defaultRegistry } from './stores/registry.ts';
import { createStoreService } from './stores/service.ts';
import { verifyStores } from './verify.ts';

const FIXTURE = resolve(import.meta.dirname, '../../systems/src/langgraph/fixtures/js.sqlite');
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  path = join(folder, 'checkpoints.sqlite');
  cpSync(FIXTURE, path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function verified(target = path) {
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(target);
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

  it('asks SQLite about databases only, whatever their rules are', async () => {
    const files = resolve(import.meta.dirname, '../../systems/src/langgraph-dev/fixtures/js/.langgraph_api');
    for (const target of [files, join(files, '.langgraphjs_api.checkpointer.json')]) {
      const { items, damaged } = await verified(target);
      expect(items).toMatchObject([{ system: 'langgraph', checkpoints: 37, read: 37 }]);
      expect([items[0]?.integrity, damaged]).toEqual([undefined, 0]);
    }
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

  it('asks SQLite about a database that was opened through its folder', async () => {
    expect((await verified(folder)).items).toMatchObject([{ system: 'langgraph', integrity: ['ok'] }]);
    // A count of free pages that are missing: every row can be read, and only SQLite's own check sees it.
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.from([0, 0, 0, 7]), 0, 4, 36);
    closeSync(file);
    const { items, damaged } = await verified(folder);
    expect(items[0]?.integrity?.join()).toMatch(/free/i);
    expect(damaged).toBe(1);
  });

  it('asks SQLite nothing about a document that was opened by its own path', async () => {
    const plain = resolve(import.meta.dirname, '../../systems/src/kaizen/fixtures/plain');
    const document = readdirSync(plain).find((name) => name.endsWith('.jsonl')) ?? '';
    const { items, failures, damaged } = await verified(join(plain, document));
    expect({ failures, damaged }).toEqual({ failures: [], damaged: 0 });
    expect(items).toMatchObject([{ system: 'kaizen', damaged: 0 }]);
    expect(items[0]).not.toHaveProperty('integrity');
  });
});
