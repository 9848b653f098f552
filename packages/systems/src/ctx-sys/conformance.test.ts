import { openSqlite } from '@checkpoint-inspector/io';
import { describeSource, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { executor } from '../test-executor.ts';
import {
  DEMO,
  documentDdl,
  insert,
  openFixture,
  openRows,
  openTest,
  OTHER,
  projectDdl,
  rowOf,
  toolState,
  type TestStore,
} from './test-store.ts';

const opened = (store: TestStore) => ({
  sources: store.sources,
  ...executor(),
  bytes: async () => store.bytes(),
  teardown: store.close,
});
const only = async (table: string, session: string) => {
  const store = await openFixture();
  store.database.exec(`DELETE FROM ${table === DEMO ? OTHER : DEMO}`);
  store.database.exec(`DROP TABLE ${table === DEMO ? OTHER : DEMO}`);
  store.database.prepare(`DELETE FROM ${table} WHERE session_id <> ?`).run(session);
  const sources = store.sources.filter(
    (source) => source.info.id === (table === DEMO ? 'test-demo-app' : 'test-other-2'),
  );
  return opened({ ...store, sources });
};

const facts: readonly TaskFacts[] = [
  { id: 'mcp-исследование', checkpoints: 3, latest: 'ckpt_097b59fe-8f33-45df-bb7e-43d97c44eaf6' },
  { id: 'release', checkpoints: 7, latest: 'ckpt_8a1e8b06-b633-4ca7-b729-6356451c7cbe' },
  { id: 'etl-nightly', checkpoints: 7, latest: 'ckpt_054bdf7b-169b-4a63-aa18-083d56d19ac4' },
  { id: 'long', checkpoints: 10, latest: 'ckpt_684d0289-d907-4da5-81f1-70a5a9e67cc3' },
  { id: 'shadow', checkpoints: 9, latest: 'ckpt_5d0c5a6b-093c-4675-a223-c7f099a309c0' },
  { id: 'fails-first', checkpoints: 1, latest: 'ckpt_3bceab17-2e21-4fee-aca9-6ae54b733d0b' },
].map((task) => ({ ...task, unreadable: 0, recorded: 0 }));
const other: TaskFacts = { id: 'etl-nightly', checkpoints: 3, latest: 'ckpt_fc99655e-77b3-41c8-a19b-49595714e807' };

describeSystem('ctx-sys, two projects', {
  open: async () => opened(await openFixture()),
  facts: [{ tasks: facts }, { tasks: [{ ...other, unreadable: 0, recorded: 0 }] }],
});

for (const task of facts.filter(({ id }) => id !== 'fails-first')) {
  describeSystem(`ctx-sys, session ${task.id}`, {
    open: () => only(DEMO, task.id),
    facts: [{ tasks: [task] }],
  });
}

const bad = [
  rowOf('good', 1),
  rowOf('torn', 2, { state_json: '{"query": "x' }),
  rowOf('nan', 3, { state_json: '{"query": NaN}' }),
  rowOf('tool', 4, { state_json: toolState(4), trigger_type: 'manual' }),
  rowOf('top', 5, { state_json: 'no json' }),
  rowOf('', 1, { session_id: '', state_json: 'null' }),
  rowOf('../x', 1, { session_id: '', trigger_type: 'weird', created_at: null, duration_ms: null }),
];
const table = 'p_x_checkpoints';

describeSource('ctx-sys, damaged rows', {
  open: async () => {
    const store = await openRows(projectDdl(table), table, bad);
    return { source: store.source, teardown: store.close };
  },
});

describeSource('ctx-sys, a database in UTF-16', {
  open: async () => {
    const store = await openTest((path) => {
      const database = openSqlite(path, { readOnly: false, create: true });
      database.pragma("encoding = 'UTF-16le'");
      database.exec(projectDdl(table));
      for (const row of [rowOf('a', 1, { state_json: toolState(1, '"競合 ✓"') }), rowOf('b', 2)])
        insert(database, table, row);
      database.close();
    });
    return { source: store.source, teardown: store.close };
  },
});

describeSystem("ctx-sys, the document's table", {
  open: async () => {
    const rows = [1, 2, 3].map((n) => ({ ...rowOf(`c${n}`, n), project_id: 'p' }));
    const sql = `CREATE TABLE sessions (id TEXT PRIMARY KEY); CREATE TABLE projects (id TEXT PRIMARY KEY);
      INSERT INTO sessions VALUES ('s'); INSERT INTO projects VALUES ('p'); ${documentDdl}`;
    return opened(await openRows(sql, 'checkpoints', rows));
  },
  facts: [{ tasks: [{ id: 's', checkpoints: 3, unreadable: 0, latest: 'c3', recorded: 0 }] }],
});
