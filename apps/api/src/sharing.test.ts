/** Secrets in every place that a store has: none of them leaves the program. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, describe, it } from 'vitest';
import { openJournal, type Journal } from '@checkpoint-inspector/changes';
import { formatAddress, sha256Hex, type StoreId } from '@checkpoint-inspector/core';
import {
  createInspector,
  defaultRegistry,
  overJournal,
  storesOver,
  type Inspector,
} from '@checkpoint-inspector/inspector';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { createApp } from './app.ts';
import { TOOLS } from './mcp/tools/index.ts';
import { createMcpServer } from './mcp/server.ts';
import { connectTo } from './mcp/testing/client.ts';
import { HOST, jsonBody, status, TOKEN } from './testing/app.ts';

const planted: string[] = [];
/** Of five digits and a name that says it; it changes from step to step. */
const pin = 10_000 + (randomBytes(2).readUInt16BE() % 80_000);
const plant = (): string => {
  const secret = `ghp_${randomBytes(18).toString('hex')}`;
  planted.push(secret);
  return secret;
};

/** As its reader would: also what URLs, HTML and JSON spell otherwise. */
function leaksIn(text: string): string[] {
  const plain = text.replaceAll(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return planted.filter((secret) => plain.toLowerCase().includes(secret.slice(5).toLowerCase()));
}

let folder: string;
let journal: Journal;
let inspector: Inspector;
let store: StoreId;
let task: string;
let ids: readonly [string, string];
let app: ReturnType<typeof createApp>;
let mcp: Awaited<ReturnType<typeof connectTo>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sharing-'));
  const page = join(folder, 'web');
  mkdirSync(join(page, 'assets'), { recursive: true });
  for (const [name, code] of [
    ['assets/page-1.js', 'a()'],
    ['assets/page-1.css', 'a{}'],
    ['viewer.js', 'b()'],
  ] as const)
    writeFileSync(join(page, name), code);
  const path = join(folder, `${plant()}.db`);
  const password = randomBytes(12).toString('hex');
  planted.push(`xxxxx${password}`);
  task = `deploy ${plant()} to postgres://app:${password}@db/main`;
  ids = [`first ${plant()}`, `second ${plant()}`];
  planted.push(`xxxxx${pin + 1}`, `xxxxx${pin + 2}`);
  const native = await openSqliteStore({ path });
  const messages = [
    { role: 'user', content: `use ${plant()}` },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c1', function: { name: 'push', arguments: JSON.stringify({ t: plant() }) } }],
    },
  ];
  const state = (n: number) => ({
    n,
    messages,
    [`by ${plant()}`]: 1,
    value: plant(),
    nested: JSON.stringify({ inner: JSON.stringify({ deep: plant() }) }),
    link: `https://h/x?u=${encodeURIComponent(`a=${plant()}`)}`,
    metadata: { author: plant() },
    pin: pin + n,
  });
  const save = (id: string, n: number, more: object) =>
    native.save({
      task,
      id,
      text: JSON.stringify(state(n)),
      description: `step ${plant()}`,
      agentId: `agent ${plant()}`,
      ...more,
    });
  await save(ids[0], 1, {});
  await save(ids[1], 2, {
    parent: { task, id: ids[0] },
    status: 'failed',
    beside: JSON.stringify({ next: [plant()] }),
  });
  await native.saveWrites({ task, id: ids[1] }, [
    {
      run: `run ${plant()}`,
      index: 0,
      channel: '__error__',
      text: JSON.stringify(`401 for ${plant()}`),
      node: plant(),
    },
    { run: 'r', index: 1, channel: `to ${plant()}`, text: JSON.stringify({ pending: plant() }) },
  ]);
  await native.close();
  journal = openJournal({ folder: join(folder, 'state') });
  const stores = storesOver(journal, { registry: defaultRegistry() });
  inspector = createInspector({
    ...overJournal(journal, { stores, readOnly: false }),
    readOnly: false,
    waitMs: 10_000,
  });
  const [info] = await stores.open(path);
  if (info === undefined) throw new Error('It opens as one store.');
  store = info.id;
  await inspector.annotations.addLabel(store, { task, id: ids[0] }, `for ${plant()}`);
  await inspector.annotations.setNote(store, { task, id: ids[0] }, `note ${plant()}`);
  const change = await inspector.changes.preview(store, { kind: 'restore', ref: { task, id: ids[0] } });
  await inspector.changes.apply(change.id);
  app = createApp({ inspector, status, guards: { token: TOKEN, hosts: [HOST] }, shell: page });
  const shown = async () => ({ link: 'http://127.0.0.1/proposals/1' });
  mcp = await connectTo(createMcpServer({ inspector, status: { version: '0', readOnly: false }, page: shown }));
});

afterAll(async () => {
  await mcp.close();
  await inspector.close();
  journal.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, init: RequestInit = {}) =>
  app.request(`http://${HOST}${path}`, {
    ...init,
    headers: { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers },
  });

const call = async (name: string, input: object = {}): Promise<{ text: string; code?: string }> => {
  const { content } = await mcp.client.callTool({ name, arguments: { ...input } });
  const text = JSON.stringify(content);
  const { error }: { error?: { code: string } } = JSON.parse(JSON.parse(text)[0].text);
  return { text, ...(error && { code: error.code }) };
};

const exported = async (format: string): Promise<string> => {
  const answer = await ask('/api/export', jsonBody({ store, task, format }));
  expect(answer.status).toBe(200);
  return answer.text();
};

it('the id of a store whose file is named after a secret has none of it', () => {
  expect(leaksIn(store)).toEqual([]);
});

describe('an export', () => {
  it.each(['bundle', 'viewer', 'html'])('as %s has none of them', async (format) => {
    const text = await exported(format);
    expect(leaksIn(text)).toEqual([]);
    expect(text).toMatch(/ghp_••••#[0-9a-f]{3}/);
  });

  it('is opened and its names are the same as everywhere', async () => {
    const path = join(folder, 'case.json');
    writeFileSync(path, await exported('bundle'));
    const [opened] = await inspector.stores.open(path, 'case');
    const { items } = await inspector.stores.source(opened?.id ?? store).tasks({});
    expect(items.map(({ id }) => id)).toEqual([inspector.masking.masker().text(task)]);
    await inspector.stores.close(opened?.id ?? store);
  });
});

describe('over MCP', () => {
  const masked = () => inspector.masking.masker().text(`${store}/${encodeURIComponent(task)}`);
  const cp = (at: 0 | 1) => inspector.masking.masker().text(formatAddress({ store, task, id: ids[at] }));

  it('no tool tells one, and the masked names that it tells are taken by the next', async () => {
    const inputs: Record<string, Record<string, unknown>> = {
      list: { task: masked() },
      show: { checkpoint: cp(1) },
      errors: { task: masked() },
      explain: { at: masked() },
      tree: { task: masked() },
      diff: { a: cp(0), b: cp(1) },
      history: { at: masked(), path: '$.pin' },
      compare: { a: cp(0), b: cp(1) },
      search: { query: 'use' },
      checkpoint_load: { sessionId: task },
      checkpoint_list: { sessionId: task },
      checkpoint_save: { sessionId: `new ${plant()}`, state: { text: `{"k":"${plant()}"}` } },
      propose_restore: { checkpoint: cp(0), reason: `because of ${plant()}` },
      propose_fork: { checkpoint: cp(0), reason: 'why', targetTask: 'other' },
      propose_edit: { checkpoint: cp(0), edits: [{ path: '$.value', value: plant() }], reason: 'why' },
      propose_delete: { checkpoints: [cp(0)], reason: 'why' },
    };
    for (const { tool } of TOOLS) {
      const { text, code } = await call(tool.name, inputs[tool.name] ?? {});
      expect(leaksIn(text), `${tool.name}: ${text}`).toEqual([]);
      if (tool.name in inputs && !/^checkpoint_|fork/.test(tool.name))
        expect(code, `${tool.name}: ${text}`).toBeUndefined();
    }
  });

  it('resources are listed and read masked, by the addresses of the list', async () => {
    const { resources } = await mcp.client.listResources();
    expect(leaksIn(JSON.stringify(resources))).toEqual([]);
    const [first] = resources;
    const read = await mcp.client.readResource({ uri: first?.uri ?? '' });
    expect(leaksIn(JSON.stringify(read))).toEqual([]);
    expect(JSON.stringify(read)).toContain('ghp_••••#');
  });

  it('errors about what is missing quote no secret', async () => {
    for (const name of ['list', 'tree']) {
      const { text, code } = await call(name, { task: `${store}/none ${plant()}` });
      expect([code, leaksIn(text)]).toEqual(['not_found', []]);
    }
    await expect(mcp.client.readResource({ uri: `checkpoint://${store}/x/${plant()}` })).rejects.toSatisfy(
      (error: Error) => leaksIn(error.message).length === 0,
    );
  });
});

it('REST takes the masked names of a copied link', async () => {
  const { text } = inspector.masking.masker();
  const of = encodeURIComponent(text(task));
  const rows = await ask(`/api/stores/${store}/tasks/${of}/checkpoints`);
  expect(rows.status).toBe(200);
  const id = encodeURIComponent(text(ids[0]));
  const one = await ask(`/api/stores/${store}/checkpoints/${id}?task=${of}&ns=`);
  expect([one.status, await one.json()]).toMatchObject([200, { id: ids[0], taskId: task }]);
  const unknown = await ask(`/api/stores/${store}/tasks/${encodeURIComponent('ghp_••••#zzz')}`);
  expect(unknown.status).toBe(404);
});

describe('a masked file and a secret of four digits', () => {
  it('has nothing in which the right guess shows', async () => {
    const pin = String(1000 + (randomBytes(2).readUInt16BE() % 9000));
    const url = `postgres://app:${pin}@db/main`;
    const path = join(folder, 'pin.db');
    const native = await openSqliteStore({ path });
    const text = JSON.stringify({ url, n: 1 });
    await native.save({ task: 'pin', id: 'one', text });
    await native.close();
    const [info] = await inspector.stores.open(path, 'pin');
    const answer = await ask('/api/export', jsonBody({ store: info?.id, task: 'pin', format: 'bundle' }));
    const bundle = await answer.text();
    expect(JSON.parse(bundle)).toMatchObject({ tasks: [{ checkpoints: [{ state: { redacted: true } }] }] });
    const { revision } = (await inspector.stores.source(info?.id ?? store).state({ task: 'pin', id: 'one' })) ?? {};
    for (const known of [pin, await sha256Hex(text), await sha256Hex(url), await sha256Hex(pin), revision])
      expect(bundle.replaceAll(/"(?:createdAt|exportedAt|updatedAt|createdAtText)":"[^"]*"/g, '')).not.toContain(known);
    await inspector.stores.close(info?.id ?? store);
  });
});

describe("the user's own rules", () => {
  const put = (rules: object) => ask('/api/masking', { ...jsonBody(rules), method: 'PUT' });

  it('hold for every door, and are kept in the journal', async () => {
    expect((await put({ hide: ['deploy'], safe: ['pin'] })).status).toBe(200);
    const { text } = await call('tasks');
    expect(text).not.toContain('deploy');
    expect(await exported('html')).not.toContain('deploy');
    const again = createInspector({
      ...overJournal(journal, { stores: inspector.stores, readOnly: false }),
      readOnly: false,
    });
    expect(again.masking.rules()).toEqual({ hide: ['deploy'], safe: ['pin'] });
    expect(again.masking.key()).toBe(inspector.masking.key());
    expect((await put({})).status).toBe(200);
  });

  it.each([
    ['(a+)+b', 'Line 2 repeats a group, which can take very long.'],
    ['[', "Line 2 isn't a regular expression."],
    ['x*', 'Line 2 also matches nothing at all.'],
  ])('refuse %s with its line', async (pattern, message) => {
    const refused = await put({ hide: ['fine', pattern] });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { message } }]);
    expect(inspector.masking.rules().hide ?? []).toEqual([]);
  });

  it('need the token of the page', async () => {
    expect((await app.request(`http://${HOST}/api/masking`, { headers: { host: HOST } })).status).toBe(401);
  });
});
