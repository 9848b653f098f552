/** For tests: a copy of a system's fixture, opened as the program opens it. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { onTestFinished } from 'vitest';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';

const SYSTEMS = '../../../systems/src';

/** @param fixture below the folder of all systems */
export async function openFixture(fixture: string): Promise<CheckpointSource> {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
  const name = fixture.split('/').at(-1) ?? '';
  const from = fileURLToPath(new URL(`${SYSTEMS}/${fixture}`, import.meta.url));
  for (const side of name.endsWith('.sqlite') ? ['', '-wal', '-shm'] : ['']) {
    if (!existsSync(from + side)) continue;
    await cp(from + side, join(folder, name + side), { recursive: true, preserveTimestamps: true });
  }
  const stores = createStoreService({ registry: defaultRegistry() });
  const [info] = await stores.open(join(folder, name));
  onTestFinished(async () => {
    await stores.closeAll();
    await rm(folder, { recursive: true, force: true });
  });
  if (info === undefined) throw new Error(`${fixture} holds no store.`);
  return stores.source(info.id);
}
