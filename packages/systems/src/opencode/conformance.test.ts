import { describeSource, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { executor } from '../test-executor.ts';
import { dropEvents, facts, openFixture, SESSIONS, type TestStore } from './test-store.ts';

const opened = (store: TestStore) => ({
  sources: [store.source],
  ...executor(),
  bytes: async () => store.bytes(),
  teardown: store.close,
});

/** A message is a checkpoint, and so is each call of a tool in it. */
const countOf = ({ list }: (typeof facts.sessions)[number]): number =>
  list.reduce((sum, { parts }) => sum + 1 + parts.filter((part) => part.startsWith('tool:')).length, 0);

/** Two sessions have a parent for their first checkpoint: a sub-agent, and a fork whose title tells it. */
const tasks = facts.sessions.map((session): TaskFacts => {
  const isReverted = session.id === SESSIONS['reverted-open'];
  const last = session.list.at(-1)?.id ?? null;
  const latest = isReverted ? (session.list[2]?.id ?? null) : last;
  // What a revert has deleted is in the log still.
  const deleted = session.id === SESSIONS['reverted-continued'] ? 8 : 0;
  const checkpoints = countOf(session) + deleted;
  const isChild = facts.made.subagent.children.includes(session.id);
  return { id: session.id, checkpoints, unreadable: 0, latest, recorded: checkpoints - (isChild ? 0 : 1) };
});
const factsOf = (name: string) => tasks.filter(({ id }) => id === SESSIONS[name]);
const only = (name: string) => [SESSIONS[name] ?? ''];

describeSystem('opencode', { open: async () => opened(openFixture()), facts: [{ tasks }] });

for (const name of ['tools', 'compacted', 'reverted-open', 'todo', 'error']) {
  const [task] = factsOf(name);
  const first = facts.sessions.find(({ id }) => id === task?.id)?.list[0]?.id ?? '';
  describeSystem(`opencode, ${name}`, {
    open: async () => opened(openFixture(only(name))),
    facts: [{ tasks: factsOf(name), change: { task: task?.id ?? '', id: first } }],
  });
}

describeSystem('opencode, rows without a log', {
  open: async () => {
    const store = openFixture(only('tools'));
    dropEvents(store.database);
    return opened(store);
  },
  facts: [{ tasks: factsOf('tools') }],
});

describeSource('opencode, damaged rows and events', {
  open: async () => {
    const store = openFixture([...only('tools'), ...only('todo')]);
    store.database
      .exec(`UPDATE event SET data = '{"info":' WHERE aggregate_id = '${SESSIONS['tools']}' AND seq IN (5, 9);
      UPDATE event SET type = 'message.updated.2' WHERE aggregate_id = '${SESSIONS['tools']}' AND seq = 20;
      DELETE FROM event WHERE aggregate_id = '${SESSIONS['todo']}';
      UPDATE part SET data = 'no json' WHERE session_id = '${SESSIONS['todo']}' AND data LIKE '%"text"%';
      UPDATE message SET data = x'00ff' WHERE session_id = '${SESSIONS['todo']}' AND data LIKE '%"user"%';`);
    return { source: store.source, teardown: store.close };
  },
});
