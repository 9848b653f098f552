/** What a restore or fork through the inspector writes, as this interface finds it. */
import { expect, it } from 'vitest';
import {
  apply,
  copyOf,
  openFolder,
  temporaryFolder,
} from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/open';
import { checkpointAt, graph } from './fixtures/workflow.ts';
import { FileCheckpointStorage } from './index.ts';

const TASK = 'release-notes';

it('a restored checkpoint is the first in the list, and is loaded with what was saved', async () => {
  const folder = await copyOf('document');
  const source = await openFolder(folder);
  const plan = await source.plan({ kind: 'restore', ref: { task: TASK, id: 'run-1_writer' } });
  await apply(plan);
  const storage = new FileCheckpointStorage(folder);
  const [first = ''] = await storage.listCheckpoints(TASK);
  expect(first).toBe(plan.view.latestAfter?.id);
  expect((await storage.loadCheckpoint(first))?.sharedState).toEqual({ brief: 'Ship v2 🚀' });
});

it('a restore names the executors that its graph describes otherwise', async () => {
  const folder = await temporaryFolder();
  const storage = new FileCheckpointStorage(folder);
  const other = { ...graph, edges: [] };
  await storage.saveCheckpoint(
    'old',
    checkpointAt('2026-01-01T00:00:00Z', { graphSignatureHash: 'x' }, { metadata: { graph } }),
  );
  await storage.saveCheckpoint('new', checkpointAt('2026-01-02T00:00:00Z', {}, { metadata: { graph: other } }));
  const source = await openFolder(folder);
  const plan = await source.plan({ kind: 'restore', ref: { task: TASK, id: 'old' } });
  expect(plan.view.warnings.find(({ code }) => code === 'graph_changed')?.message).toContain(
    'described differently: writer',
  );
});
