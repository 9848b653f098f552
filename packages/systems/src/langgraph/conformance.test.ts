import { describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { facts } from './fixtures/facts.ts';
import { executor } from '../test-executor.ts';
import { openFixture } from './test-store.ts';

const open = (only?: string) => async () => {
  const { source, bytes, close } = await openFixture(only);
  return { sources: [source], ...executor(), bytes: async () => bytes(), teardown: close };
};

const tasks = Object.entries(facts.threads).map(([id, { namespaces, head }]): TaskFacts => {
  const all = Object.entries(namespaces);
  const checkpoints = all.reduce((sum, [, ns]) => sum + ns.checkpoints, 0);
  // The first checkpoint of a subgraph hangs under one of the graph around it.
  const roots = all.reduce((sum, [name, ns]) => sum + (name === '' ? ns.roots : 0), 0);
  return { id, checkpoints, unreadable: 0, latest: head.id, recorded: checkpoints - roots };
});

const refusesHead = {
  tests: ['delete: of the latest makes the next one the latest, as the plan says'],
  reason: 'the writes that led to the head stand on its parent, so LangGraph would make it again',
};
/** The suite on one thread, with this checkpoint to restore, fork and delete. */
function describeThread(thread: string, id: string, skip = [refusesHead]): void {
  const own = tasks.filter((task) => task.id === thread);
  describeSystem(`langgraph, ${thread}`, {
    open: open(thread),
    facts: [{ tasks: own, change: { task: thread, id } }],
    skip,
  });
}

describeSystem('langgraph', { open: open(), facts: [{ tasks }], skip: [refusesHead] });
describeThread('fork-demo', facts.threads['fork-demo']?.history?.[4]?.id ?? '');
describeThread('subgraph-done', facts.threads['subgraph-done']?.head.parent ?? '');
// Its one checkpoint is the whole thread, which may go.
describeThread('durability-exit', facts.threads['durability-exit']?.head.id ?? '', []);
