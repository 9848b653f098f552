import { describeSource, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { insertRun, openFixture, type TestStore } from './test-store.ts';

const runs: readonly TaskFacts[] = [
  { id: '161c3d98-83ba-4d9f-a564-005b4af1dd61', checkpoints: 4, latest: '161c3d98-83ba-4d9f-a564-005b4af1dd61:0' },
  { id: 'crashed-1', checkpoints: 2, latest: 'crashed-1:1' },
  { id: 'long-1', checkpoints: 111, latest: 'long-1:110' },
  { id: "run/42:é '; DROP TABLE--%_*", checkpoints: 3, latest: "run/42:é '; DROP TABLE--%_*:2" },
  { id: 'each-1', checkpoints: 3, latest: 'each-1:2' },
  { id: 'loop-1', checkpoints: 2, latest: 'loop-1:1' },
  { id: 'nest-wait', checkpoints: 4, latest: 'nest-wait:1' },
  { id: 'nest-1', checkpoints: 7, latest: 'nest-1:3' },
  { id: 'pw-1', checkpoints: 1, latest: 'pw-1:0' },
  { id: 'pw-2', checkpoints: 1, latest: 'pw-2:0' },
  { id: 'pb-1', checkpoints: 4, latest: 'pb-1:3' },
  { id: 'run-recovered', checkpoints: 4, latest: 'run-recovered:3' },
  { id: 'run-failed', checkpoints: 3, latest: 'run-failed:2' },
  { id: 'q-half', checkpoints: 2, latest: 'q-half:1' },
  { id: 'run-refused', checkpoints: 4, latest: 'run-refused:3' },
  { id: 'run-paid', checkpoints: 4, latest: 'run-paid:3' },
  { id: 'run-wait', checkpoints: 2, latest: 'run-wait:1' },
  { id: 'run-linear-2', checkpoints: 4, latest: 'run-linear-2:3' },
  { id: 'run-linear-1', checkpoints: 4, latest: 'run-linear-1:3' },
].map((task) => ({ ...task, unreadable: 0, recorded: 0 }));

const opened = (store: TestStore) => ({ ...store, sources: store.sources.slice(0, 1) });
const A_COPY_HAS_STEPS = {
  tests: ['edit: saves one child that reads back as the text; the original and all others stay as they are'],
  reason: 'an edit writes one row, and is listed with the steps that are in it: plan.test.ts has what it writes',
};

describeSystem('mastra runs', {
  open: async () => opened(await openFixture()),
  facts: [{ tasks: runs, change: { task: 'run-paid', id: 'run-paid:1' } }],
  skip: [A_COPY_HAS_STEPS],
});

for (const change of [
  { task: 'run-failed', id: 'run-failed:0' },
  { task: 'nest-1', id: 'nest-1:1' },
  { task: 'pb-1', id: 'pb-1:0' },
]) {
  describeSystem(`mastra, run ${change.task}`, {
    open: async () =>
      opened(
        await openFixture((database) => {
          database.prepare('DELETE FROM mastra_workflow_snapshot WHERE run_id <> ?').run(change.task);
        }),
      ),
    facts: [{ tasks: runs.filter(({ id }) => id === change.task), change }],
    skip: [A_COPY_HAS_STEPS],
  });
}

describeSource('mastra, damaged rows', {
  open: async () => {
    const store = await openFixture((database) => {
      for (const [at, snapshot] of [
        '{"status": "x',
        '[]',
        'null',
        null,
        Buffer.from([0xcc, 0xff, 1]),
        '{"context":{}}',
      ].entries())
        insertRun(database, { workflow_name: 'bad', run_id: `bad-${at}`, snapshot });
      insertRun(database, { workflow_name: 'bad', run_id: null, snapshot: '{}' });
      insertRun(database, { workflow_name: null, run_id: 'run-paid', snapshot: '{}' });
      insertRun(database, {
        workflow_name: '',
        run_id: '',
        snapshot: '{"status":7,"context":[]}',
        createdAt: 'x',
        updatedAt: null,
      });
    });
    return { source: store.source, teardown: store.teardown };
  },
});
