/** What a source says of itself is asked for often: it answers from what was read last, never from the database. */
import { loadDriver } from '@checkpoint-inspector/io';
import { afterEach, expect, test, vi } from 'vitest';
import { langgraphRow } from './index.ts';
import { idAt, insert, openRows, openSource, type TestStore } from './test-store.ts';

/** Every statement and pragma that any connection of this process runs from now on. */
function statementsRun() {
  const database = new (loadDriver())(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('SELECT 1')) as { all(): unknown; get(): unknown };
  const connection = Object.getPrototypeOf(database) as { pragma(): unknown; prepare(): unknown };
  database.close();
  const spies = [
    vi.spyOn(statement, 'all'),
    vi.spyOn(statement, 'get'),
    vi.spyOn(connection, 'pragma'),
    vi.spyOn(connection, 'prepare'),
  ];
  return { count: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
}

let store: TestStore | undefined;
let other: Awaited<ReturnType<typeof openSource>> | undefined;
afterEach(async () => {
  await other?.close?.();
  await store?.close();
  other = store = undefined;
});

const row = (n: number) =>
  langgraphRow({ thread: 't', id: idAt(n), ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values: { n } });
const pickle = (n: number) => ({ ...row(n), type: 'pickle', checkpoint: new Uint8Array([0x80, 0x04, 0x4e, 0x2e]) });

test('is told without a look into the database, also while another connection holds it alone', async () => {
  store = await openRows([pickle(1)]);
  await store.source.close?.();
  store.database.pragma('journal_mode = DELETE');
  const statements = statementsRun();
  other = await openSource(store.path);
  const reason = expect.stringMatching(/pickle/);
  expect(statements.count()).toBeGreaterThan(0);
  store.database.exec('BEGIN EXCLUSIVE');
  const before = statements.count();
  expect(other.info.capabilities).toMatchObject({ restore: reason, edit: reason, fork: true });
  expect(other.info.capabilities).toMatchObject({ restore: reason });
  expect(statements.count()).toBe(before);
  store.database.exec('COMMIT');
});

test.each(['tasks', 'plan'] as const)('is brought up to date by %s()', async (how) => {
  store = await openRows([pickle(1)]);
  const { source, database } = store;
  await source.tasks();
  insert(database, 'checkpoints', row(2));
  expect(source.info.capabilities).toMatchObject({ edit: expect.stringMatching(/pickle/) });
  if (how === 'tasks') await source.tasks();
  else await source.plan({ kind: 'delete', refs: [{ task: 't', id: idAt(1) }] });
  expect(source.info.capabilities).toMatchObject({ restore: true, edit: true });
});
