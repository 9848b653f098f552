/** A store of Python's saver against what LangGraph itself answered about it. */
import { describeSystem } from '@checkpoint-inspector/core/testing';
import { afterAll, beforeAll } from 'vitest';
import { executor } from '../test-executor.ts';
import { describePython, pythonFacts, taskFactsOf } from './test-python.ts';
import { openPython, type TestStore } from './test-store.ts';

const facts = pythonFacts(new URL('./fixtures/py-facts.json', import.meta.url));

let store: TestStore;
beforeAll(async () => {
  store = await openPython();
});
afterAll(() => store.close());

describePython(
  facts,
  {
    module: '__main__',
    set: '["a",1]',
    namedWrites: 235,
    unnamed: [
      'fork-demo 6 branch:to:inc',
      'fork-demo 6 label',
      'hitl-resumed 1 __resume__',
      'node-error-recovered 2 log',
    ],
  },
  () => store.source,
);

describeSystem('langgraph by Python', {
  open: async () => {
    const { source, bytes, close } = await openPython();
    return { sources: [source], ...executor(), bytes: async () => bytes(), teardown: close };
  },
  facts: [{ tasks: taskFactsOf(facts) }],
  skip: [
    {
      tests: ['delete: of the latest makes the next one the latest, as the plan says'],
      reason: 'the writes that led to the head are stored with its parent, so LangGraph would make it again',
    },
  ],
});
