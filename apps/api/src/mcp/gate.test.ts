/** What an agent may write over MCP: full stores of others, each earlier row in the store, in the trash, or untouched. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { openJournal } from '@checkpoint-inspector/changes';
import { openSqlite } from '@checkpoint-inspector/io';
import { createInspector, defaultRegistry, overJournal, storesOver } from '@checkpoint-inspector/inspector';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { connectTo } from './testing/client.ts';
import { createMcpServer } from './server.ts';

const CTX_SYS = new URL('../../../../packages/systems/src/ctx-sys/fixtures/demo-app.db', import.meta.url);
const GRANT = 'may=save';
const SAVES = Array.from({ length: 15 }, (_, n) => n);

const folders: string[] = [];
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'mcp-gate-'));
  folders.push(made);
  return made;
};

interface StartOptions {
  readonly grants?: readonly string[];
  readonly name?: string;
  readonly readOnly?: boolean;
}

/** An agent's process: its own journal connection, stores and server, as after a restart. */
async function start(path: string, { grants = [], name = 'agent', readOnly = false }: StartOptions = {}) {
  const state = `${path}.state`;
  mkdirSync(state, { recursive: true });
  const journal = openJournal({ folder: state });
  const stores = storesOver(journal, { registry: defaultRegistry(), stateFolder: state });
  const inspector = createInspector({ ...overJournal(journal, { stores, readOnly }), waitMs: 10_000 });
  await stores.open(path, 'db');
  const page = async (at: string) => ({ link: `http://127.0.0.1${at}` });
  const server = createMcpServer({ inspector, status: { version: '0', readOnly }, grants, page });
  const client = await connectTo(server, name);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await client.close();
    await inspector.close();
    journal.close();
  };
  ends.push(close);
  const id = stores.list().find(({ id: one }) => one === 'db' || one === 'db-demo-app')?.id ?? storeId('none');
  const ask = async (tool: string, args: Record<string, unknown> = {}) =>
    JSON.stringify(await client.client.callTool({ name: tool, arguments: args }));
  return {
    ...client,
    close,
    inspector,
    journal,
    source: (): CheckpointSource => stores.source(id),
    /** The whole answer of any tool, as text. */
    ask,
    /** As the transports hand a state over: its text. */
    save: (sessionId: string, n: number) =>
      client.call('checkpoint_save', { sessionId, state: { text: JSON.stringify({ n }) }, store: id }),
  };
}

/** All that is stored in the tables that hold checkpoints, as the bytes of their rows. */
function rowsOf(path: string, table: string, key: string): Map<string, string> {
  const db = openSqlite(path, { readOnly: true });
  // Where a state's nodes are is the store's own business; that they are the same its revision says.
  const rows = db
    .prepare<Record<string, unknown>>(`SELECT * FROM ${table}`)
    .all()
    .map(({ root: _root, ...row }) => row);
  db.close();
  return new Map(rows.map((row) => [String(row[key]), JSON.stringify(row)]));
}

async function native(maxPerTask?: number): Promise<string> {
  const path = join(folder(), 'native.db');
  const store = await openSqliteStore(maxPerTask === undefined ? { path } : { path, maxPerTask });
  for (let n = 0; n < 5; n++)
    await store.save({ task: 'theirs', id: `r${n}`, text: JSON.stringify({ n, text: 'é "quoted"' }), stepIndex: n });
  await store.close();
  return path;
}

function ctxSys(): string {
  const path = join(folder(), 'ctx-sys.db');
  copyFileSync(fileURLToPath(CTX_SYS), path);
  return path;
}

const FULL = [
  {
    name: 'native with a limit of 5',
    make: () => native(5),
    task: 'theirs',
    table: 'checkpoints',
    column: 'state_hash',
  },
  { name: 'ctx-sys', make: async () => ctxSys(), task: 'long', table: 'p_demo_app_checkpoints', column: 'state_json' },
];

describe.each(FULL)('fifteen saves into a full session of others: $name', ({ make, task, table }) => {
  it('with a grant each earlier row is there or in the trash, over a restart, and undo brings all back', async () => {
    const path = await make();
    const before = rowsOf(path, table, 'id');
    let agent = await start(path, { grants: [GRANT] });
    const source = agent.source();
    const refs = (await source.checkpoints(task, { limit: 100 })).items.map(({ id }) => id);
    const states = new Map<string, unknown>();
    for (const id of refs) states.set(id, await source.state({ task, id }));
    for (const n of SAVES) {
      if (n === 7) {
        await agent.close();
        agent = await start(path, { grants: [GRANT] });
      }
      const saved = await agent.save(task, n);
      expect(saved.error).toBeUndefined();
      expect(saved.checkpoint?.sessionId).toBe(task);
      const trashed = (await agent.inspector.changes.trash({ limit: 1000 })).items.map(({ ref }) => ref.id);
      const there = rowsOf(path, table, 'id');
      for (const id of refs) expect(there.has(id) || trashed.includes(id), id).toBe(true);
    }
    const latest = (await agent.source().latest(task)).ref;
    const { items } = await agent.inspector.changes.receipts({ limit: 100 });
    expect(items.length).toBeGreaterThan(0);
    for (const receipt of items) {
      expect(receipt.undoable).toBe(true);
      await agent.inspector.changes.undo(receipt.id);
    }
    const after = rowsOf(path, table, 'id');
    for (const [id, row] of before) expect(after.get(id)).toBe(row);
    for (const [id, state] of states) expect(await agent.source().state({ task, id })).toEqual(state);
    expect((await agent.source().latest(task)).ref).toEqual(latest);
  });

  it('without one nothing is written and the proposals stand, over a restart', async () => {
    const path = await make();
    const before = rowsOf(path, table, 'id');
    let agent = await start(path);
    for (const n of SAVES) {
      const answer = await agent.save(task, n);
      expect(answer).toMatchObject({
        isError: false,
        checkpoint: null,
        text: expect.stringContaining('Nothing was saved'),
      });
    }
    await agent.close();
    agent = await start(path);
    expect(rowsOf(path, table, 'id')).toEqual(before);
    const open = agent.inspector.proposals.list().filter(({ outcome }) => outcome === 'open');
    expect(open).toHaveLength(SAVES.length);
    expect(open[0]?.plan).toMatchObject({ request: { kind: 'save', task }, removes: { count: 1 } });
    expect((await agent.inspector.changes.receipts({})).items).toEqual([]);
  });

  it('a proposed save that a person applies moves what it would evict to the trash, and nothing else', async () => {
    const path = await make();
    const agent = await start(path);
    const before = rowsOf(path, table, 'id');
    for (const n of [0, 1]) await agent.save(task, n);
    for (const { id } of agent.inspector.proposals.list().toReversed()) {
      const { plan } = await agent.inspector.proposals.get(id);
      const there = rowsOf(path, table, 'id');
      const receipt = await agent.inspector.proposals.apply(id, plan.id);
      const now = rowsOf(path, table, 'id');
      const gone = [...there.keys()].filter((one) => !now.has(one));
      expect(gone).toEqual(plan.removes.items.map(({ ref }) => ref.id));
      expect(receipt.removed.map((ref) => ref.id)).toEqual(gone);
      await expect(agent.inspector.proposals.apply(id, plan.id)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const receipt of (await agent.inspector.changes.receipts({})).items)
      await agent.inspector.changes.undo(receipt.id);
    const after = rowsOf(path, table, 'id');
    for (const [id, row] of before) expect(after.get(id)).toBe(row);
  });

  it('a writer that saves at the same time loses no row unseen', async () => {
    const path = await make();
    const agent = await start(path, { grants: [GRANT] });
    const other = await start(path, { grants: [GRANT], name: 'other' });
    const before = rowsOf(path, table, 'id');
    await Promise.all(SAVES.flatMap((n) => [agent.save(task, n), other.save(task, n)]));
    for (const { id } of (await agent.inspector.changes.receipts({ limit: 1000 })).items)
      await agent.inspector.changes.undo(id);
    const after = rowsOf(path, table, 'id');
    for (const [id, row] of before) expect(after.get(id)).toBe(row);
  });
});

it('a client that is started again continues its own session for a thousand saves, as the document says', async () => {
  const path = ctxSys();
  const begun = [performance.now(), process.cpuUsage()] as const;
  let agent = await start(path);
  for (let n = 0; n < 1000; n++) {
    if (n % 250 === 249) {
      await agent.close();
      agent = await start(path);
      expect((await agent.call('checkpoint_load', { sessionId: 'mine', store: 'db-demo-app' })).text).toContain(
        `{"n":${n - 1}}`,
      );
    }
    expect((await agent.save('mine', n)).checkpoint?.sessionId).toBe('mine');
  }
  const ms = Math.round(performance.now() - begun[0]);
  const { user, system } = process.cpuUsage(begun[1]);
  const { items } = await agent.call('checkpoint_list', { sessionId: 'mine', store: 'db-demo-app' });
  expect(items).toHaveLength(10);
  expect((await agent.inspector.changes.receipts({})).items).toEqual([]);
  // Two projects share the file.
  const at = { store: `${path} db-demo-app`, task: 'mine' };
  expect(agent.journal.agents.savesOf(at, 'agent').size).toBe(10);
  expect(agent.inspector.proposals.list()).toEqual([]);
  console.info(`1,000 saves over MCP: ${ms} ms, processor ${Math.round((user + system) / 1000)} ms`);
}, 600_000);

it('a task of one client is not another one’s, and a read-only server saves nothing', async () => {
  const path = await native();
  const one = await start(path, { name: 'one' });
  expect((await one.save('mine', 1)).checkpoint?.taskId).toBe('mine');
  const two = await start(path, { name: 'two' });
  expect((await two.save('mine', 2)).checkpoint).toBeNull();
  expect((await two.save('other', 2)).checkpoint?.taskId).toBe('other');
  const readOnly = await start(path, { name: 'one', readOnly: true });
  const activity = readOnly.inspector.agents.list();
  await expect(readOnly.save('mine', 3)).rejects.toThrow(/no tool/);
  await readOnly.ask('tasks');
  expect(readOnly.inspector.agents.list()).toEqual(activity);
});

it('past the bound a save becomes a proposal, and what was trashed for it is back', async () => {
  const path = join(folder(), 'native.db');
  const store = await openSqliteStore({ path, maxPerTask: 120 });
  for (let n = 0; n < 120; n++) await store.save({ task: 'theirs', id: `r${n}`, text: '{}' });
  await store.close();
  const agent = await start(path, { grants: [GRANT] });
  for (let n = 0; n < 100; n++) expect((await agent.save('theirs', n)).checkpoint?.taskId).toBe('theirs');
  const before = rowsOf(path, 'checkpoints', 'id');
  expect((await agent.save('theirs', 100)).checkpoint).toBeNull();
  expect(rowsOf(path, 'checkpoints', 'id')).toEqual(before);
}, 120_000);

it('a row that another program saved over is no longer the client’s own', async () => {
  const path = await native(3);
  const agent = await start(path);
  const { checkpoint } = await agent.save('mine', 0);
  const store = await openSqliteStore({ path });
  await store.save({ task: 'mine', id: checkpoint?.id ?? '', text: '{"by":"another"}' });
  await store.close();
  for (const n of [1, 2, 3]) await agent.save('mine', n);
  const { items } = await agent.inspector.changes.trash({});
  expect(items.map(({ ref }) => ref.id)).toEqual([checkpoint?.id]);
});

describe('grants', () => {
  it('widen saving to what they name, until a person ends them or their time is over', async () => {
    const path = await native();
    const agent = await start(path, { grants: ['tasks=the*,may=save'] });
    expect((await agent.save('theirs', 1)).checkpoint?.taskId).toBe('theirs');
    const grants = agent.inspector.agents.list()[0]?.grants ?? [];
    expect(grants).toMatchObject([{ client: 'agent', spec: 'tasks=the*,may=save', state: 'active' }]);
    agent.inspector.agents.endGrant(grants[0]?.id ?? '');
    expect((await agent.save('theirs', 2)).checkpoint).toBeNull();
    const again = await start(path, { grants: ['tasks=the*,may=save'] });
    expect((await again.save('theirs', 3)).checkpoint).toBeNull();
    const late = await start(path, { grants: ['may=save,until=2020-01-01'] });
    expect((await late.save('theirs', 4)).checkpoint).toBeNull();
  });

  it('narrow what can be read and proposed to what they name', async () => {
    const path = await native();
    const owner = await start(path, { name: 'owner' });
    await owner.save('secret', 1);
    const agent = await start(path, { grants: ['tasks=theirs,may=read'] });
    const told = [
      await agent.ask('tasks'),
      await agent.ask('list', { task: 'db/secret' }),
      await agent.ask('checkpoint_list', { sessionId: 'secret' }),
      await agent.ask('search', { query: 'n:1' }),
    ];
    expect(told.join('\n').replaceAll('No task "secret"', '')).not.toContain('db/secret/');
    expect(told[0]).toContain('db/theirs');
    expect(told[0]).not.toContain('secret');
    expect(await agent.ask('show', { checkpoint: 'db/theirs/r1' })).toContain('db/theirs/r1');
    const resources = await agent.client.listResources();
    expect(JSON.stringify(resources)).not.toContain('secret');
    const proposer = await start(path, { grants: ['tasks=theirs,may=propose'] });
    const { items } = await proposer.call('checkpoint_list', { sessionId: 'secret' });
    const refused = await proposer.call('propose_delete', { checkpoints: [`db/secret/${items[0]?.id}`], reason: 'x' });
    expect(refused.error?.code).toBe('unsupported');
  });
});

it('who read, saved and proposed what is counted', async () => {
  const path = await native();
  const agent = await start(path);
  await agent.save('mine', 1);
  await agent.save('mine', 2);
  await agent.save('theirs', 1);
  await agent.ask('list', { task: 'db/theirs' });
  await agent.ask('tasks');
  const [{ client, activity } = { client: '', activity: [] }] = agent.inspector.agents.list();
  expect(client).toBe('agent');
  expect(activity.map(({ kind, store, task, count }) => [kind, store, task, count])).toEqual(
    expect.arrayContaining([
      ['save', 'db', 'mine', 2],
      ['propose', 'db', 'theirs', 1],
      ['read', 'db', 'theirs', 1],
      ['read', undefined, undefined, 1],
    ]),
  );
});
