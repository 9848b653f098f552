/** What `langgraph dev` for Python wrote, against what LangGraph itself answered about it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSystem } from '@checkpoint-inspector/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePython, pythonFacts, taskFactsOf } from '../langgraph/test-python.ts';
import { FILE_RULES, readPickle } from './pickle/read.ts';
import { Dict } from './pickle/value.ts';
import { openDev, type DevStore } from './test-store.ts';

const facts = pythonFacts(new URL('./fixtures/py/facts.json', import.meta.url));

let store: DevStore;
beforeAll(async () => {
  store = await openDev('py');
});
afterAll(() => store.close());

describePython(
  facts,
  {
    module: 'agents',
    set: '[1,"a"]',
    namedWrites: 338,
    unnamed: ['fork-demo 6 branch:to:inc', 'fork-demo 6 label', 'hitl-resumed 1 __resume__'],
  },
  () => store.source,
);

test('nothing is missing among the values, and the stored bytes are those of the file', async () => {
  const ref = { task: 'react-weather', id: facts.threads['react-weather']?.head.id ?? '' };
  expect((await store.source.state(ref))?.derived).toBe("decoded from Python's msgpack");
  const raw = Buffer.from((await store.source.raw?.(ref)) ?? []);
  expect(raw.includes('channel_versions') && !raw.includes('channel_values')).toBe(true);
});

test('the nodes of writes are those that the paths in the file name', async () => {
  const root = readPickle(readFileSync(join(store.folder, '.langgraph_checkpoint.2.pckl')), FILE_RULES);
  if (!(root instanceof Dict)) throw new Error('The file of writes is a dict.');
  let compared = 0;
  for (const [place, writes] of root.entries) {
    const [task = '', namespace = '', id = ''] = Array.isArray(place) ? place.map(String) : [];
    const beside = await store.source.beside?.({ task, id, ...(namespace === '' ? {} : { namespace }) });
    for (const [, write] of writes instanceof Dict ? writes.entries : []) {
      const [taskId, channel, , path] = Array.isArray(write) ? write.map(String) : [];
      const node = /^~__pregel_pull, (.*)$/s.exec(path ?? '')?.[1];
      const found = beside?.writes?.find((one) => one.taskId === taskId && one.channel === channel);
      if (node === undefined || found === undefined) continue;
      expect(found.node, `${task} ${id} ${channel}`).toBe(node);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(300);
});

describeSystem('langgraph dev', {
  open: async () => {
    const { source, bytes, close } = await openDev('py');
    return { sources: [source], bytes: async () => bytes(), teardown: close };
  },
  facts: [{ tasks: taskFactsOf(facts) }],
});
