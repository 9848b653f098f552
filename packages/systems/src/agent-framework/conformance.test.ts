import { describeSource, describeSystem, type SourceFacts } from '@checkpoint-inspector/core/testing';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { executor } from '../test-executor.ts';
import { copyOf, fixture, openFolder, type Fixture } from './fixtures/open.ts';

async function openCopy(name: Fixture) {
  const folder = await copyOf(name);
  return {
    sources: [await openFolder(folder)],
    ...executor(),
    bytes: async () => {
      const names = (await readdir(folder)).toSorted();
      return Promise.all(
        names.map(async (file) => {
          const { mode, mtimeMs, ino } = await stat(join(folder, file));
          return { file, mode, mtimeMs, ino, bytes: await readFile(join(folder, file)) };
        }),
      );
    },
  };
}

/** Written by Agent Framework for Python 1.13.0; ids by its own `get_latest`. */
const real: Partial<Record<Fixture, SourceFacts>> = {
  'counter-forks': {
    tasks: [
      {
        id: 'counter-flow',
        checkpoints: 16,
        unreadable: 0,
        latest: '4d9ca74c-a28f-4aa7-82ba-22aedf4f0eda',
        recorded: 15,
      },
      {
        id: 'счётчик-工作流',
        checkpoints: 2,
        unreadable: 0,
        latest: '52ed7fc2-df4e-4b48-9828-75762f98f45c',
        recorded: 1,
      },
      {
        id: 'WorkflowBuilder-43556d1c-42c6-4113-aab9-e0dc71181cf4',
        checkpoints: 2,
        unreadable: 0,
        latest: '3fd3d402-6573-4bcc-b85c-5daf95d01968',
        recorded: 1,
      },
    ],
  },
  hitl: {
    tasks: [
      {
        id: 'release-notes',
        checkpoints: 12,
        unreadable: 0,
        latest: '2711f9d2-4d5d-49d2-89d7-fd1c4096c101',
        recorded: 11,
      },
    ],
  },
  'legacy-2025-09': {
    tasks: [
      { id: 'wf-7c1d', checkpoints: 3, unreadable: 0, latest: 'd488a8a6-96cc-48bb-aa28-a0edc6695653', recorded: 0 },
      { id: 'wf-9e2a', checkpoints: 1, unreadable: 0, latest: 'ddeae454-0386-4e1a-b0bd-2ccf063d9c28', recorded: 0 },
    ],
  },
};
const made: Partial<Record<Fixture, SourceFacts>> = {
  'legacy-2026-02': {
    tasks: [
      { id: 'wf-2026', checkpoints: 2, unreadable: 0, latest: '0d3b1f6e-8f0a-4f4e-9d4e-2f5a7c1b9e02', recorded: 0 },
    ],
  },
  document: {
    tasks: [
      { id: 'release-notes', checkpoints: 3, unreadable: 0, latest: 'run-2_writer', recorded: 0 },
      { id: 'other', checkpoints: 1, unreadable: 0, latest: 'run-3_writer' },
    ],
  },
  bad: {
    tasks: [
      { id: 'bad-flow', checkpoints: 3, unreadable: 1, latest: 'exact', recorded: 1 },
      { id: 'unassigned files', checkpoints: 6, unreadable: 6, latest: null },
    ],
  },
  dotnet: {
    tasks: [
      { id: 'run 1', checkpoints: 3, unreadable: 0, latest: 'c'.repeat(32), recorded: 2 },
      { id: 'other', checkpoints: 4, unreadable: 3, latest: 'd'.repeat(32), recorded: 0 },
      { id: 'unassigned files', checkpoints: 2, unreadable: 2, latest: null },
    ],
  },
  'dotnet-2025': {
    tasks: [
      { id: 's1', checkpoints: 2, unreadable: 0, latest: '2'.repeat(32), recorded: 1 },
      { id: 'r0', checkpoints: 1, unreadable: 0, latest: '3'.repeat(32), recorded: 0 },
    ],
  },
};

for (const [name, facts] of Object.entries({ ...real, ...made })) {
  describeSystem(`agent-framework ${name}`, { open: () => openCopy(name as Fixture), facts: [facts] });
}
describeSource('agent-framework hitl, in place', { open: async () => ({ source: await openFolder(fixture('hitl')) }) });
