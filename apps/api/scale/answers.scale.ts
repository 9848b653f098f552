import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryGrowth, milliseconds } from '@checkpoint-inspector/config/measure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSearch } from '@checkpoint-inspector/search';
import { defaultRegistry, createStoreService, createFailures } from '@checkpoint-inspector/inspector';
import { halfOpen, rawRequest, sendRaw, testServer } from '../src/testing/socket.ts';
import { writeManyCheckpoints } from './support/many.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scale-answers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the server', () => {
  let server: Awaited<ReturnType<typeof testServer>>;
  beforeEach(async () => {
    server = await testServer();
  });
  afterEach(() => server.close());
  const own = () => ({ host: server.host, authorization: `Bearer ${server.token}` });

  it('answers 401 within 2.5 s before bodies of 1 GB are sent', async () => {
    const headers = { host: server.host, 'content-type': 'application/json', 'content-length': '1000000000' };
    const took = await milliseconds(async () => {
      for (const path of ['/mcp', '/api/stores/memory/checkpoints/cp-2/restore'])
        expect((await sendRaw(server.port, rawRequest(path, headers, 'POST'))).status).toBe(401);
      const path = '/api/stores/memory/checkpoints/cp-2';
      expect((await sendRaw(server.port, rawRequest(path, headers, 'DELETE'))).status).toBe(401);
    });
    expect(took).toBeLessThan(2_500);
  });

  it('ends event streams within 1.5 s when it closes', async () => {
    const other = await testServer();
    const answer = await fetch(`${other.url}/api/events`, { headers: { authorization: `Bearer ${other.token}` } });
    expect(await milliseconds(async () => Promise.all([other.close(), answer.text()]))).toBeLessThan(1_500);
  });

  it('refuses an endless chunked body without taking 300 MB for it', async () => {
    const head = ['POST /api/stores HTTP/1.1', `host: ${server.host}`, `authorization: Bearer ${server.token}`];
    const body = ['content-type: application/json', 'transfer-encoding: chunked', '', ''];
    const chunks = `100000\r\n${'a'.repeat(0x100000)}\r\n`.repeat(12);
    const grown = await memoryGrowth(async () => {
      expect((await sendRaw(server.port, [...head, ...body].join('\r\n') + chunks)).status).toBe(413);
    });
    expect(grown).toBeLessThan(300_000_000);
  });

  it('answers beside 200 half-open connections within 1 s', async () => {
    const half = await Promise.all(Array.from({ length: 200 }, () => halfOpen(server.port)));
    const took = await milliseconds(async () => {
      expect((await sendRaw(server.port, rawRequest('/api/tasks', own()))).status).toBe(200);
    });
    for (const socket of half) socket.destroy();
    expect(took).toBeLessThan(1_000);
  });
});

it.each([
  [3_000, 300],
  [5_000, 1_500],
])('a search among %d checkpoints answers within %d ms', async (count, limit) => {
  const path = join(folder, 'run.db');
  await writeManyCheckpoints(path, { task: 'run', count });
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(path);
  const search = createSearch({ stores, folder: join(folder, 'state'), timeLimitMs: 1_000 });
  const began = performance.now();
  await search.settled(120_000);
  const indexed = performance.now() - began;
  const times: number[] = [];
  for (const query of ['4200', '420', 'value:4200', 'value', 'e', 'n:1', 'status:failed', 'zzz'])
    times.push(await milliseconds(() => search.search(query)));
  console.log(
    `measured: ${count} checkpoints indexed in ${Math.round(indexed)} ms; searches ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`,
  );
  expect(Math.max(...times)).toBeLessThan(limit);
  await search.close();
  await stores.closeAll();
});

it('looking through 50,000 checkpoints for failures holds the event loop for 250 ms at most', async () => {
  const path = join(folder, 'large.db');
  await writeManyCheckpoints(path, { task: 'soak', count: 50_000 });
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(path);
  await stores.tasks();
  const triage = createFailures(stores, 1);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  while (!(await triage.errors()).coverage.complete) await sleep(20);
  delay.disable();
  const [p99, longest] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  console.log(`measured: event loop held p99 ${p99.toFixed(0)} ms, at most ${longest.toFixed(0)} ms`);
  expect(longest).toBeLessThan(250);
  await stores.closeAll();
});
