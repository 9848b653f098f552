/** What is acknowledged can be loaded again and is the latest; what could not be is refused and nothing is written. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/ctx-sys/test-store';
import { CheckpointManager, openCheckpointDatabase, type AgentState, type CheckpointConfig } from './index.ts';

function managerOf(config: Partial<CheckpointConfig>, limits: { maxRowBytes?: number } = {}): CheckpointManager {
  const folder = temporaryFolder();
  const manager = new CheckpointManager(openCheckpointDatabase({ path: join(folder, 'agent.db') }), config, limits);
  onTestFinished(() => {
    manager.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return manager;
}

const stateAt = (currentStepIndex: number, more: Partial<AgentState>): AgentState => ({
  query: 'q',
  plan: [],
  currentStepIndex,
  results: [],
  context: {},
  ...more,
});

test('around the largest row a save is loaded again as the latest, or refused with nothing written', async () => {
  const manager = managerOf({}, { maxRowBytes: 2048 });
  const outcomes = new Set<unknown>();
  let latest: string | undefined;
  for (let length = 1600; length < 2048; length += 8) {
    const saved = await manager.save('s', 'p', stateAt(length, { context: { text: 'x'.repeat(length) } })).then(
      ({ id }) => ({ id, code: 'saved' }),
      (error: { code?: string }) => ({ id: latest, code: error.code }),
    );
    outcomes.add(saved.code);
    latest = saved.id;
    const found = await manager.loadLatest('s');
    expect(found?.id).toBe(latest);
    if (saved.code === 'saved') expect(found?.state.context).toEqual({ text: 'x'.repeat(length) });
  }
  expect([...outcomes]).toEqual(['saved', 'too_large']);
});

test('a state that shrinks so well that reading would take it for a bomb is loaded again', async () => {
  const manager = managerOf({ compressState: true });
  const text = 'x'.repeat(17 * 1024 * 1024);
  await manager.save('s', 'p', stateAt(1, { context: { text } }));
  expect((await manager.loadLatest('s'))?.state.context['text'] === text).toBe(true);
});
