/** Reading the states of the demo's stores exactly against `JSON.parse`, interleaved, by processor time, on built modules. */
import { built } from '@checkpoint-inspector/config/built';
import { everyPage, storeIdFrom, type CheckpointSource } from '@checkpoint-inspector/core';
import { createRegistry, foreignSystems } from '@checkpoint-inspector/systems/registry';
import { expect, it, onTestFinished } from 'vitest';
import { createDemo } from '../src/index.ts';

const { parseJson } = await built<typeof import('@checkpoint-inspector/core')>('@checkpoint-inspector/core');

const ROUNDS = 25;
const WARM_UP = 5;
/** So many characters are read in a round, however small the states are. */
const CHARACTERS = 2_000_000;
const MOST = 1.25;
/** Documents on many indented lines take longer: their white space is looked at character by character. */
const MOST_INDENTED = 2.2;

it('takes about as long as JSON.parse', async () => {
  const demo = await createDemo({ now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => demo.remove());
  const registry = createRegistry(foreignSystems);
  const texts = new Map<string, string[]>();
  for (const target of demo.targets.filter((path) => !/(research|agents|snapshots)\.db$/.test(path)))
    for (const source of await registry.open(target, { label: 'demo', location: target, nameStore: storeIdFrom })) {
      texts.set(source.info.system, [...(texts.get(source.info.system) ?? []), ...(await statesOf(source))]);
      await source.close?.();
    }
  expect(texts.size).toBeGreaterThan(3);
  for (const [system, states] of texts) {
    const times = Math.ceil(CHARACTERS / states.reduce((sum, text) => sum + text.length, 0));
    const spent = { ours: [] as number[], parse: [] as number[] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const [ours, parse] = [cpu(parseJson, states, times), cpu(JSON.parse, states, times)];
      if (round < 0) continue;
      spent.ours.push(ours);
      spent.parse.push(parse);
    }
    const ratio = median(spent.ours) / median(spent.parse);
    console.log(`measured: states of ${system} read exactly: ${ratio.toFixed(2)} times JSON.parse`);
    expect(ratio).toBeLessThan(states.every((text) => text.startsWith('{\n')) ? MOST_INDENTED : MOST);
  }
});

async function statesOf(source: CheckpointSource): Promise<string[]> {
  const texts: string[] = [];
  for await (const { items: tasks } of everyPage((at) => source.tasks(at)))
    for (const { id } of tasks)
      for await (const { items } of everyPage((at) => source.checkpoints(id, at)))
        for (const { taskId, id: own, problem } of items) {
          const state = problem ? undefined : await source.state({ task: taskId, id: own });
          if (state) texts.push(state.text);
        }
  return texts;
}

function cpu(read: (text: string) => unknown, texts: readonly string[], times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) for (const text of texts) read(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
