import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { createOffline } from './offline.ts';

/** Of the packages that the page's own build may take in whole. */
const IN_BROWSERS = /^@checkpoint-inspector\/(?:core(?:\/failed-check)?|systems\/[\w-]+\/view|stores\/view)$/;

/** What a module imports when it runs; types are left out. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );

it('needs nothing that only Node has, however deep', () => {
  const search = join(import.meta.dirname, '../../search/src/offline.ts');
  const queue = [join(import.meta.dirname, 'offline.ts'), search];
  const seen = new Set(queue);
  for (const file of queue) {
    for (const name of importsOf(readFileSync(file, 'utf8'))) {
      if (name === '@checkpoint-inspector/search/offline' || IN_BROWSERS.test(name)) continue;
      expect(name, `${file} imports ${name}`).toMatch(/^\./);
      const next = join(dirname(file), name);
      if (!seen.has(next)) queue.push(next);
      seen.add(next);
    }
  }
  expect(seen.size).toBeGreaterThan(20);
});

it('answers over one store, failed tasks first, and opens no other', async () => {
  const store = new MemoryStore({ id: storeId('m') });
  await store.save({ task: 'bad', id: 'a', text: '{}', status: 'failed', createdAt: '2026-01-01T00:00:00.000Z' });
  await store.save({ task: 'good', id: 'b', text: '{}', status: 'completed', createdAt: '2026-01-02T00:00:00.000Z' });
  const { stores, failures, lanes } = createOffline(store);
  expect((await stores.tasks()).items.map(({ id }) => id)).toEqual(['bad', 'good']);
  expect((await stores.tasks({ status: 'completed' })).items.map(({ id }) => id)).toEqual(['good']);
  expect((await failures.outlines()).items).toHaveLength(2);
  expect((await lanes.list(storeId('m'), 'good')).items).toHaveLength(1);
  await expect(stores.open('/elsewhere')).rejects.toMatchObject({ code: 'unsupported' });
  failures.close();
});
