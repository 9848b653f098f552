/** States that are compared by the lines between them, without their texts. */
import { diffJson, type CheckpointRef } from '@checkpoint-inspector/core';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LogSource } from '../log/index.ts';
import { copyOfHome, openCodex } from './fixtures/open.ts';

const { made } = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/facts.json'), 'utf8')) as {
  made: Record<string, { thread: string }>;
};
const threadOf = (name: string): string => made[name]?.thread ?? name;

/** Each checkpoint with what it continued from, in the order of saves. */
async function stepsOf(source: LogSource, name: string): Promise<(readonly [CheckpointRef, CheckpointRef])[]> {
  const steps: (readonly [CheckpointRef, CheckpointRef])[] = [];
  const task = threadOf(name);
  for await (const { id, parent } of source.lineage(task)) if (parent) steps.push([parent, { task, id }]);
  return steps;
}

const textOf = async (source: LogSource, ref: CheckpointRef): Promise<string> => (await source.state(ref))?.text ?? '';

it.each(['tools-3-turns', 'long-run', 'five-turns', 'fork-by-exec', 'fork-at-turn-2', 'fork-of-fork', 'reverted'])(
  'says of every step of %s what the texts say, and of the way back too',
  async (name) => {
    const source = await openCodex(await copyOfHome());
    const steps = await stepsOf(source, name);
    expect(steps.length).toBeGreaterThan(0);
    for (const pair of steps) {
      for (const [before, after] of [pair, pair.toReversed()]) {
        if (!before || !after) continue;
        const known = await source.diff(before, after);
        const { equal: _equal, ...whole } = diffJson(await textOf(source, before), await textOf(source, after));
        expect(known, `${before.id} ${after.id}`).toEqual(whole);
      }
    }
  },
);

it('leaves a step that replaced the items to the texts, and knows those after it', async () => {
  const source = await openCodex(await copyOfHome());
  const known = [];
  for (const [before, after] of await stepsOf(source, 'compacted')) {
    const diff = await source.diff(before, after);
    known.push(diff !== undefined);
    const { equal: _equal, ...whole } = diffJson(await textOf(source, before), await textOf(source, after));
    if (diff) expect(diff).toEqual(whole);
  }
  expect(known).toContain(false);
  expect(known.at(-1)).toBe(true);
});

it('leaves two threads with nothing in common to the texts', async () => {
  const source = await openCodex(await copyOfHome());
  const [one, other] = [(await stepsOf(source, 'five-turns')).at(-1), (await stepsOf(source, 'long-run')).at(-1)];
  expect(one && other && (await source.diff(one[1], other[1]))).toBeUndefined();
});

it('reads what is between two steps, and little before it, once the log was read', async () => {
  const root = await copyOfHome();
  const thread = '01a20000-0000-7000-8000-000000000001';
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: '2026-11-22T02:34:41.228Z', type, payload })}\n`;
  const turn = (n: number): string => {
    const turn_id = `01a20000-0000-7000-9000-${String(n).padStart(12, '0')}`;
    const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(100_000) }] };
    return [
      line('event_msg', { type: 'task_started', turn_id }),
      line('response_item', message),
      line('event_msg', { type: 'task_complete', turn_id }),
    ].join('');
  };
  const turns = Array.from({ length: 90 }, (_none, n) => turn(n)).join('');
  await writeFile(
    join(root, `sessions/2026/11/22/rollout-2026-11-22T02-34-41-${thread}.jsonl`),
    line('session_meta', { id: thread }) + turns,
  );
  let read = 0;
  const source = await openCodex(root, { onRead: (bytes) => (read += bytes) });
  const steps = await stepsOf(source, thread);
  const last = steps.at(-1);
  if (last) await source.diff(...last);
  for (const [before, after] of steps.toReversed()) {
    read = 0;
    expect((await source.diff(before, after))?.items).toMatchObject([{ kind: 'added' }]);
    expect(read).toBeLessThan(1_300_000);
  }
  // From one end to the other is far more than what a step adds: that is left to whoever reads large states.
  const first = steps[0];
  read = 0;
  expect(first && last && (await source.diff(first[0], last[1]))).toBeUndefined();
  expect(read).toBe(0);
});
