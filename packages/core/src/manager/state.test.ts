import { expect, test } from 'vitest';
import { toCheckpoint } from './state.ts';

const done = { stepId: 's1', name: 'Fetch rows', result: 1, durationMs: 5, completedAt: '2026-01-01T00:00:00Z' };

test.each([
  [{ error: 'Disk is full' }, 'Disk is full'],
  [{ trigger: 'error', error: { name: 'Error', message: 'Disk is full' } }, 'Disk is full'],
  [{ trigger: 'error' }, undefined],
  [{ error: { code: 28 } }, undefined],
  [{}, 'Fetch rows'],
])('lists show of metadata %j: %s', (metadata, description) => {
  const checkpoint = toCheckpoint({
    id: 'a',
    taskId: 't',
    agentId: 'writer',
    stepIndex: 1,
    totalSteps: 2,
    context: {},
    completedSteps: [done],
    pendingSteps: ['draft'],
    createdAt: '2026-01-01T00:00:00.000Z',
    metadata,
  });
  expect(checkpoint.description).toBe(description);
});
