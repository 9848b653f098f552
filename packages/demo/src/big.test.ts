import { bytesWritten } from '@checkpoint-inspector/config/measure';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blobAt, blobDigits, indexJson, locateValue, partOf, sha256Hex } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { SqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { seedBig } from './big.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
let folder: string;
let store: SqliteStore;
let written = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-big-'));
  written = await bytesWritten(() => seedBig(join(folder, 'a.db'), NOW));
  store = await openSqliteStore({ path: join(folder, 'a.db'), readOnly: true });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const textOf = async (id: string): Promise<string> => (await store.state({ task: 'big-state', id }))?.text ?? '';

it('is written once, and once from the log into the file', () => {
  expect(written).toBeLessThan(2.2 * 18_000_000);
});

it('has 18 MB, a list of 100,000, and data that is a picture', async () => {
  const text = await textOf('big-01');
  expect(text.length).toBeGreaterThan(18_000_000);
  const index = indexJson(text);
  const latency = partOf(index, { path: ['latency_ms'], limit: 1, depth: 0, preview: 10 });
  expect(latency.count).toBe(100_000);
  const { start, end } = locateValue(index, ['screenshots', 'home']);
  expect(blobAt(text, start, end)).toMatchObject({ mime: 'image/png' });
  const png = Buffer.from(blobDigits(text.slice(start, end)), 'base64');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)))).toHaveLength((320 * 3 + 1) * 200);
});

it('is the same at every start', async () => {
  await seedBig(join(folder, 'b.db'), NOW);
  const again = await openSqliteStore({ path: join(folder, 'b.db'), readOnly: true });
  const state = await again.state({ task: 'big-state', id: 'big-01' });
  expect(state).toEqual(await store.state({ task: 'big-state', id: 'big-01' }));
  expect(state?.revision).toBe(await sha256Hex(state?.text ?? ''));
  await again.close();
});
