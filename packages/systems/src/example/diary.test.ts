import { storeId } from '@checkpoint-inspector/core';
import { describeSource, describeSystem } from '@checkpoint-inspector/core/testing';
import { mkdtemp, copyFile, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRegistry } from '../registry.ts';
import { diarySystem } from './index.ts';

/** The one line that a system needs in `foreignSystems` of the registry. */
const registry = createRegistry([{ id: 'diary', label: 'Diary', load: async () => diarySystem }]);

async function openCopy() {
  const folder = await mkdtemp(join(tmpdir(), 'diary-'));
  const path = join(folder, 'two-runs.diary');
  await copyFile(join(import.meta.dirname, 'fixtures/two-runs.diary'), path);
  const sources = await registry.open(path, {
    label: 'two-runs',
    location: path,
    nameStore: () => storeId('two-runs'),
  });
  return {
    sources,
    bytes: () => readFile(path),
    teardown: () => rm(folder, { recursive: true }),
  };
}

describeSource('diary', {
  open: async () => {
    const { sources, ...opened } = await openCopy();
    const [source] = sources;
    if (!source) throw new Error('The diary did not open.');
    return { source, ...opened };
  },
});

describeSystem('diary', {
  open: openCopy,
  facts: [
    {
      tasks: [
        { id: 'plan a trip', checkpoints: 3, unreadable: 0, latest: '6', recorded: 0 },
        { id: 'write a letter', checkpoints: 1, latest: '4' },
        { id: '', checkpoints: 1, unreadable: 1, latest: null },
      ],
      states: [{ ref: { task: 'plan a trip', id: '3' }, text: '{"city": "Lisbon", "days": 4.0}' }],
    },
  ],
});

it('takes no other text file for a diary', async () => {
  const target = { kind: 'path', path: join(import.meta.dirname, 'index.ts'), is: 'file' } as const;
  expect(await diarySystem.detect(target)).toBeUndefined();
});
