import { allCheckpoints, allTasks, collect } from '@checkpoint-inspector/core/testing';
import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, describe, expect, it } from 'vitest';
import { storeId } from '@checkpoint-inspector/core';
import { dirname, join } from 'node:path';
import { createRegistry, foreignSystems } from '../registry.ts';
import { opencodeSystem } from './index.ts';
import { OpencodeStore } from './store.ts';
import { layoutOf } from './tables.ts';
import { dropEvents, facts, insert, openFixture, SESSIONS, type TestStore } from './test-store.ts';

const opened: TestStore[] = [];
const open = (...args: Parameters<typeof openFixture>): TestStore => {
  const store = openFixture(...args);
  opened.push(store);
  return store;
};
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

interface Shown {
  readonly session: { readonly id: string; readonly title: string };
  readonly messages: readonly {
    readonly info: {
      readonly id: string;
      readonly role: string;
      readonly error?: { readonly name: string };
      readonly finish?: string;
    };
    readonly parts: readonly {
      readonly type: string;
      readonly tool?: string;
      readonly text?: string;
      readonly state?: { readonly status: string };
    }[];
  }[];
}

async function stateOf({ source }: TestStore, task: string, id: string): Promise<Shown> {
  const state = await source.state({ task, id });
  return JSON.parse(state?.text ?? '') as Shown;
}

/** As the facts write a conversation down. */
const listOf = ({ messages }: Shown) =>
  messages.map(({ info, parts }) => ({
    id: info.id,
    role: info.role,
    ...(info.error ? { error: info.error.name } : {}),
    ...(info.finish === undefined ? {} : { finish: info.finish }),
    parts: parts.map(({ type, tool, text, state }) => {
      if (type === 'text') return `text:${(text ?? '').slice(0, 40)}`;
      return type === 'tool' ? `tool:${tool}:${state?.status}` : type;
    }),
  }));
const short = (list: (typeof facts.sessions)[number]['list']) =>
  list.map((one) => ({ ...one, parts: one.parts.map((part) => part.slice(0, 45)) }));

describe('its database', () => {
  it('is found in the data folder, as a private store, and not taken for one of others with such names', async () => {
    const store = open();
    const registry = createRegistry(foreignSystems);
    expect(await registry.detect(dirname(store.path))).toMatchObject([
      { system: 'opencode', because: '15 sessions in the tables session, message and part' },
    ]);
    const options = { label: 'oc', location: store.path, nameStore: () => storeId('oc') };
    const [source] = await registry.open(store.path, options);
    expect(source?.info).toMatchObject({ system: 'opencode', private: true });
    await source?.close?.();
    const other = join(dirname(store.path), 'other.db');
    const database = openSqlite(other, { readOnly: false, create: true });
    database.exec('CREATE TABLE session (id, project_id, directory, revert); CREATE TABLE message (id, data)');
    database.close();
    const target = { kind: 'path', path: other, is: 'file' } as const;
    expect(await opencodeSystem.detect(target)).toBeUndefined();
    const opening = opencodeSystem.open(target, options);
    await expect(opening).rejects.toMatchObject({ code: 'no_store' });
  });
});

describe('what opencode itself says of its store', () => {
  it('the sessions in their order, with titles and times', async () => {
    const { source } = open();
    const { items } = await source.tasks();
    const expected = facts.sessions.map(({ id, title, time }) => [id, title, new Date(time.updated).toISOString()]);
    expect(items.map(({ id, title, updatedAt }) => [id, title, updatedAt])).toEqual(
      expected.toSorted(([idA = '', , a = ''], [idB = '', , b = '']) =>
        a === b ? (idA < idB ? -1 : 1) : a < b ? 1 : -1,
      ),
    );
  });

  it.each(facts.sessions)('the messages and parts of $id', async ({ id, list }) => {
    const store = open();
    const { ref } = await store.source.latest(id);
    // An open revert hides what opencode's list still has.
    const shown = id === SESSIONS['reverted-open'] ? list.slice(0, 3) : list;
    expect(listOf(await stateOf(store, id, ref?.id ?? ''))).toEqual(short(shown));
  });

  it.each(facts.sessions)('the same of $id where only rows are left, as after an import', async ({ id, list }) => {
    const store = open();
    dropEvents(store.database);
    const { ref } = await store.source.latest(id);
    const shown = id === SESSIONS['reverted-open'] ? list.slice(0, 3) : list;
    expect(listOf(await stateOf(store, id, ref?.id ?? ''))).toEqual(short(shown));
  });

  it('status and error of each', async () => {
    const { source } = open();
    const tasks = new Map((await allTasks(source)).map((task) => [task.id, task]));
    const statusOf = (name: string) => tasks.get(SESSIONS[name] ?? '')?.status;
    expect(statusOf('error')).toBe('failed');
    expect(tasks.get(SESSIONS['error'] ?? '')?.lastError).toBe('APIError: mock bad request');
    expect(statusOf('aborted')).toBe('interrupted');
    // Killed while it waited: the rows say "running" for ever.
    expect([statusOf('waiting'), statusOf('question')]).toEqual(['interrupted', 'interrupted']);
    expect([statusOf('tools'), statusOf('long'), statusOf('compacted')]).toEqual(Array(3).fill('completed'));
  });
});

describe('history', () => {
  it('keeps what a revert deleted as a branch, with its states', async () => {
    const store = open();
    const task = SESSIONS['reverted-continued'] ?? '';
    const metas = (await allCheckpoints(store.source, task)).toReversed();
    const deleted = metas.filter(({ labels }) => labels.includes('deleted'));
    expect(deleted.map(({ description }) => description)).toEqual([
      'question 2',
      'write: r.txt',
      'called write',
      'answer 2',
      'question 3',
      'write: r.txt',
      'called write',
      'answer 3',
    ]);
    const answer = metas.find(({ description }) => description === 'answer 1');
    const children = metas.filter(({ parentId }) => parentId === answer?.id).map(({ description }) => description);
    expect(children).toEqual(['question 2', 'new question 2']);
    const last = await stateOf(store, task, deleted.at(-1)?.id ?? '');
    expect(last.messages.at(-1)?.parts.find(({ type }) => type === 'text')?.text).toBe('answer 3');
  });

  it('an open revert moves the latest back, and what it hides comes last in the list', async () => {
    const { source } = open();
    const task = SESSIONS['reverted-open'] ?? '';
    const [latest, ...rest] = await allCheckpoints(source, task);
    expect([latest?.seq, latest?.isLatest, latest?.description]).toEqual([4, true, 'answer 1']);
    expect(rest.map(({ seq }) => seq)).toEqual([3, 2, 1, 12, 11, 10, 9, 8, 7, 6, 5]);
    expect(rest.filter(({ labels }) => labels.includes('reverted'))).toHaveLength(8);
    expect((await source.latest(task)).note).toContain('8 checkpoints');
  });

  it('a sub-agent comes from where its call began; a fork from where its messages end, which is inferred', async () => {
    const { source } = open();
    const [child = ''] = facts.made.subagent.children;
    const [first] = await collect(source.lineage(child));
    const parent = SESSIONS['subagent'] ?? '';
    const [prompt] = await collect(source.lineage(parent));
    expect(first).toMatchObject({ kind: 'recorded', parent: { task: parent, id: prompt?.id } });

    const [forked] = await collect(source.lineage(SESSIONS['fork-before-turn-3'] ?? ''));
    const cut = (await allCheckpoints(source, SESSIONS['tools'] ?? '')).find(
      ({ description }) => description === 'Second done.',
    );
    expect(forked).toMatchObject({ kind: 'inferred', parent: { task: SESSIONS['tools'], id: cut?.id } });
  });

  it('a state holds exact slices of what is stored', async () => {
    const { source, database } = open();
    const task = SESSIONS['tools'] ?? '';
    const { ref } = await source.latest(task);
    const state = await source.state(ref ?? { task, id: '' });
    const sql = "SELECT data FROM event WHERE aggregate_id = ? AND type = 'message.part.updated.1' AND seq > 80";
    const [row] = database.prepare<{ data: string }>(sql).all(task);
    const part = /"part":(\{.*\}),"time":\d+\}$/s.exec(row?.data ?? '')?.[1] ?? 'none';
    expect(state?.text).toContain(part);
    expect(state?.derived).toContain('event log');
  });

  it('follows a log that grows, reading only what was added', async () => {
    const store = open([SESSIONS['tools'] ?? '']);
    const task = SESSIONS['tools'] ?? '';
    const layout = layoutOf(store.database);
    if (!layout) throw new Error('The fixture is of opencode.');
    const read: string[] = [];
    const traced = tracing(openSqlite(store.path, { readOnly: true }), (sql, row) =>
      sql.includes('FROM event WHERE aggregate_id = ? AND seq >') ? read.push(String(row['id'])) : 0,
    );
    const reading = new OpencodeStore(traced, layout);
    const count = () => {
      const session = reading.session(task);
      return session ? reading.history(session).points.length : 0;
    };
    expect([count(), read.length]).toEqual([14, 90]);
    const info = {
      id: 'msg_2012ffffffffAAAAAAAAAAAAAA',
      sessionID: task,
      role: 'user',
      time: { created: 1795319999999 },
    };
    store.database.transaction(() => {
      insert(store.database, 'event', {
        id: 'evt_2012ffffffffAAAAAAAAAAAAAA',
        aggregate_id: task,
        seq: 90,
        type: 'message.updated.1',
        data: JSON.stringify({ sessionID: task, info }),
      });
      const row = { time_created: 1795319999999, time_updated: 1795319999999, data: '{"role":"user"}' };
      insert(store.database, 'message', { id: info.id, session_id: task, ...row });
    });
    expect([count(), read.length]).toEqual([15, 91]);
    traced.close();
  });

  it('rows without events before a log are its beginning', async () => {
    const store = open([SESSIONS['tools'] ?? '']);
    const task = SESSIONS['tools'] ?? '';
    const before = (await allCheckpoints(store.source, task)).map(({ id }) => id);
    // What is left of a log that began with the third turn.
    store.database.exec(`DELETE FROM event WHERE aggregate_id = '${task}' AND seq < 70`);
    const after = (await allCheckpoints(store.source, task)).map(({ id }) => id);
    expect(after).toEqual(before);
    const [, , old = ''] = after;
    expect((await stateOf(store, task, old)).messages.length).toBeGreaterThan(5);
  });
});

describe('questions and errors beside a state', () => {
  it('a question that was asked, an error of the model, and one of a tool', async () => {
    const store = open();
    const asked = await store.source.checkpoints(SESSIONS['question'] ?? '');
    const call = asked.items.find(({ description }) => description?.startsWith('question'));
    const beside = await store.source.beside?.({ task: call?.taskId ?? '', id: call?.id ?? '' });
    expect(beside?.requests).toEqual([
      { id: 'call_0058_0', from: 'question', text: expect.stringContaining('"question":"Which colour?"') as string },
    ]);
    const { ref } = await store.source.latest(SESSIONS['error'] ?? '');
    expect(ref && (await store.source.beside?.(ref))?.errors).toEqual([{ text: 'APIError: mock bad request' }]);
  });
});

describe('tables with secrets', () => {
  const SECRET = ['account', 'account_state', 'control_account', 'credential', 'session_share'];

  it('no statement of a reading or a plan opens one', async () => {
    const store = open();
    for (const table of SECRET) expect(store.database.prepare(`SELECT count(*) FROM ${table}`).get()).toBeDefined();
    const roots = new Set(
      store.database
        .prepare<{ rootpage: number }>(
          `SELECT rootpage FROM sqlite_schema WHERE tbl_name IN (${SECRET.map((name) => `'${name}'`).join(', ')})`,
        )
        .all()
        .map(({ rootpage }) => rootpage),
    );
    expect(roots.size).toBeGreaterThanOrEqual(SECRET.length);
    const layout = layoutOf(store.database);
    if (!layout) throw new Error('The fixture is of opencode.');
    const asked = new Set<string>();
    const prepared = (database: SqliteDatabase): SqliteDatabase => ({
      ...database,
      pragma: (text) => database.pragma(text),
      prepare: (sql, options) => {
        asked.add(sql);
        return database.prepare(sql, options);
      },
    });
    const { opencodeRules } = await import('./read.ts');
    const reading = new OpencodeStore(prepared(store.database), layout);
    const rules = opencodeRules({ id: store.source.info.id, label: 'test', location: store.path, path: store.path });
    const { items } = await rules.tasks(reading, {});
    for (const { id } of items) {
      const page = await rules.checkpoints(reading, id, {});
      const lineage = await rules.lineage(reading, id);
      expect(lineage).toBeDefined();
      for (const meta of page.items) {
        const ref = { task: id, id: meta.id };
        await Promise.all([rules.meta(reading, ref), rules.state(reading, ref), rules.raw(reading, ref)]);
        await rules.find(reading, meta.id);
        await rules.beside?.(reading, ref);
        await rules.plan(reading, { kind: 'fork', ref }, store.source.info);
        await rules.plan(reading, { kind: 'restore', ref }, store.source.info).catch(() => undefined);
      }
    }
    await rules.find(reading, 'no such id');
    expect(asked.size).toBeGreaterThan(8);
    // The program of each statement names the pages of every table and index that it opens.
    const opens = (sql: string): number[] =>
      store.database
        .prepare<{ opcode: string; p2: number }>(`EXPLAIN ${sql.replaceAll(/\?|[:@$]\w+/g, 'NULL')}`)
        .all()
        .filter(({ opcode }) => /^(Open(Read|Write)|ReopenIdx)$/.test(opcode))
        .map(({ p2 }) => p2);
    const found = [...asked].filter((sql) => opens(sql).some((page) => roots.has(page)));
    expect(found).toEqual([]);
    // The check itself would notice.
    expect(opens('SELECT value FROM credential').some((page) => roots.has(page))).toBe(true);
  });
});

/** Tells of each row that a statement gives. */
function tracing(
  database: SqliteDatabase,
  onRow: (sql: string, row: Readonly<Record<string, unknown>>) => void,
): SqliteDatabase {
  return {
    ...database,
    prepare: <Row>(sql: string) => {
      const statement = database.prepare<Row>(sql);
      return {
        ...statement,
        *iterate(...parameters) {
          for (const row of statement.iterate(...parameters)) {
            onRow(sql, row as Readonly<Record<string, unknown>>);
            yield row;
          }
        },
      };
    },
  };
}
