import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDropped } from './dropped.ts';
import { bundle } from './export/bundle.ts';
import { gather } from './export/gather.ts';
import { defaultRegistry } from './stores/registry.ts';
import { createStoreService } from './stores/service.ts';

async function* bytesOf(pieces: AsyncIterable<string> | readonly string[]) {
  for await (const piece of pieces) yield Buffer.from(piece);
}

function opened() {
  const stores = createStoreService({ registry: defaultRegistry() });
  onTestFinished(() => stores.closeAll());
  return { stores, dropped: createDropped(stores) };
}

async function aBundle(): Promise<AsyncIterable<Uint8Array>> {
  const store = new MemoryStore({ id: storeId('m') });
  await store.save({ task: 't', id: 'a', text: '{"n":1.0}' });
  return bytesOf(bundle([await gather(store, { task: 't' })]));
}

it('opens a bundle that is sent, and removes the file when the store is closed', async () => {
  const { stores, dropped } = opened();
  const [info] = await dropped.open(await aBundle(), '../case 1.json');
  if (info === undefined) throw new Error('Nothing was opened.');
  expect(info).toMatchObject({ label: 'case 1.json', id: 'case-1-json' });
  expect((await stores.source(info.id).state({ task: 't', id: 'a' }))?.text).toBe('{"n":1.0}');
  const path = info.identity ?? '';
  expect(existsSync(path)).toBe(true);
  await stores.close(info.id);
  await vi.waitFor(() => expect(existsSync(path)).toBe(false), 20_000);
});

it.each([
  '',
  'not JSON',
  '{"format":"checkpoint-inspector/bundle","version":99}',
  '{"format":"checkpoint-inspector/bundle"',
])('keeps nothing of %j, and says what is wrong', async (text) => {
  const { stores, dropped } = opened();
  const own = mkdtempSync(join(tmpdir(), 'dropped-'));
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv('TMPDIR', own);
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = await dropped.open(bytesOf([text]), 'x $&.json').catch((error: unknown) => error);
  if (!InspectorError.is(refused)) throw new Error('It was not refused.');
  expect(JSON.stringify(refused.toWire())).not.toContain(own);
  expect(stores.list()).toEqual([]);
  expect(readdirSync(own)).toEqual([]);
});

it.each(['', '.', '..', '/', 'CON', 'a\0b', 'x'.repeat(300), '../../etc/passwd', 'a\\b', '\u202e.json'])(
  'opens a bundle whose name is %j',
  async (name) => {
    const { stores, dropped } = opened();
    const [info] = await dropped.open(await aBundle(), name);
    if (info === undefined) throw new Error('Nothing was opened.');
    expect((await stores.source(info.id).state({ task: 't', id: 'a' }))?.text).toBe('{"n":1.0}');
    expect(info.label).not.toBe('');
  },
);
