import { describeSource, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { insertRow } from '../run-row/test-store.ts';
import { openFixture as openBoth, STATES } from './test-store.ts';

/** Of the two stores in the file the one of the executions, or that of the conversations. */
async function openFixture(change?: Parameters<typeof openBoth>[0], at = 0) {
  const store = await openBoth(change);
  return { ...store, sources: store.sources.slice(at, at + 1), source: store.sources[at] ?? store.source };
}

const REPLAYED = '681dc3c0-156c-4738-b9d3-a5b51acdbd3c';
const REPLAY_OF_PAID = '5cc099f2-3ee0-4aa1-9072-65443150ff16';
const ODD = "run/42:é '; DROP TABLE--%_*";

const runs: readonly TaskFacts[] = [
  { id: 'lin-1', checkpoints: 4, latest: 'lin-1:3', recorded: 0 },
  { id: REPLAY_OF_PAID, checkpoints: 4, latest: `${REPLAY_OF_PAID}:3`, recorded: 1 },
  { id: 'paid-2', checkpoints: 4, latest: 'paid-2:3', recorded: 0 },
  { id: 'refused-1', checkpoints: 4, latest: 'refused-1:3', recorded: 0 },
  { id: 'paid-1', checkpoints: 4, latest: 'paid-1:3', recorded: 0 },
  { id: 'wait-1', checkpoints: 2, latest: 'wait-1:1', recorded: 0 },
  { id: REPLAYED, checkpoints: 4, latest: `${REPLAYED}:3`, recorded: 1 },
  { id: 'fail-2', checkpoints: 3, latest: 'fail-2:2', recorded: 0 },
  { id: 'fail-1', checkpoints: 3, latest: 'fail-1:2', recorded: 0 },
  { id: ODD, checkpoints: 3, latest: `${ODD}:2`, recorded: 0 },
  { id: 'long-1', checkpoints: 106, latest: 'long-1:105', recorded: 0 },
  { id: 'crashed-1', checkpoints: 2, latest: 'crashed-1:1', recorded: 0 },
].map((task) => ({ ...task, unreadable: 0 }));

const A_COPY_HAS_STEPS = {
  tests: ['edit: saves one child that reads back as the text; the original and all others stay as they are'],
  reason: 'an edit writes one row, and is listed with the steps that are in it: plan.test.ts has what it writes',
};

/** Each test reads every state, and those of the long one are large. */
const withoutLong = runs.filter(({ id }) => id !== 'long-1');

describeSystem('voltagent executions', {
  open: () => openFixture((database) => database.exec(`DELETE FROM ${STATES} WHERE id = 'long-1'`)),
  facts: [{ tasks: withoutLong, change: { task: 'paid-1', id: 'paid-1:1' } }],
  skip: [A_COPY_HAS_STEPS],
});

describeSystem('voltagent, an execution that failed', {
  open: () => openFixture((database) => database.exec(`DELETE FROM ${STATES} WHERE id <> 'fail-1'`)),
  facts: [{ tasks: runs.filter(({ id }) => id === 'fail-1'), change: { task: 'fail-1', id: 'fail-1:1' } }],
  skip: [A_COPY_HAS_STEPS],
});

describeSource('voltagent, damaged rows', {
  open: async () => {
    const store = await openFixture((database) => {
      const times = { created_at: 'x', updated_at: '2026-11-22T01:00:01.000Z' };
      const bad = { workflow_id: 'w', workflow_name: 'w', status: 'odd', ...times };
      for (const [at, cells] of [
        { events: '[{"type":' },
        { events: Buffer.from('[]') },
        { events: '{}', metadata: '[]', suspension: '7' },
        { events: '[null, 1, {"type": "step-complete"}]' },
        { metadata: '{"replayedFromExecutionId": "bad-4"}' },
        { metadata: '{"replayedFromExecutionId": "bad-4", "replayFromStepId": "nowhere"}' },
      ].entries())
        insertRow(database, STATES, { ...bad, ...cells, id: `bad-${at}` });
      insertRow(database, STATES, { ...bad, id: null });
    });
    return { source: store.source, teardown: store.teardown };
  },
});

describeSystem('voltagent conversations', {
  open: () => openFixture(undefined, 1),
  facts: [
    {
      tasks: [
        { id: 'conv-1', checkpoints: 6, unreadable: 0, latest: 'wdsngTm26inZH9W3', recorded: 0 },
        { id: 'conv-err', checkpoints: 1, unreadable: 0, latest: '2e275770-aa53-41d1-94ca-6fd0846ca4a6', recorded: 0 },
        { id: 'поток/1 👩‍🚀', checkpoints: 2, unreadable: 0, latest: 'JugbzgoQc8qS6FE2', recorded: 0 },
      ],
      change: { task: 'conv-1', id: 'ba97c302-93ec-424a-9112-fa3e1a80a6dd' },
    },
  ],
});
