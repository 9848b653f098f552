/** Real answers, over real stores, against the schemas that the document gives for them. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from '@hono/zod-openapi';
import { formatAddress, idToSegment, parseJson, storeId } from '@checkpoint-inspector/core';
import { openJournal, createChangeService } from '@checkpoint-inspector/changes';
import type { Journal } from '@checkpoint-inspector/changes';
import { createLoginCodes } from '../login-codes.ts';
import { defaultRegistry, createStoreService, type Inspector } from '@checkpoint-inspector/inspector';
import { TOKEN, jsonBody, testApp } from '../testing/app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';

const SYSTEMS = resolve(import.meta.dirname, '../../../../packages/systems/src');
const FIXTURES = {
  langgraph: 'langgraph/fixtures/js.sqlite',
  kaizen: 'kaizen/fixtures/plain',
  encrypted: 'kaizen/fixtures/enc',
  ctxsys: 'ctx-sys/fixtures/demo-app.db',
  framework: 'agent-framework/fixtures/hitl',
  rlmact: 'rlm-act/fixtures/python-new-york',
  broken: 'agent-framework/fixtures/bad',
};
const PER_STORE = 3;

const contentSchema = z.record(z.string(), z.unknown()).optional();
const operationSchema = z.looseObject({ responses: z.record(z.string(), z.looseObject({ content: contentSchema })) });
const documentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });
const itemsSchema = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      store: z.string(),
      taskId: z.string().optional(),
      namespace: z.string().optional(),
    }),
  ),
});

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

let folder: string;
let journal: Journal;
let ask: Ask;
let inspector: Inspector;
let checked: ReturnType<typeof checker>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'answers-'));
  journal = openJournal({ folder: join(folder, 'journal') });
  const { annotations } = journal;
  const stores = createStoreService({ registry: defaultRegistry(), annotations: () => annotations });
  stores.add(await seededStore());
  for (const [name, path] of Object.entries(FIXTURES)) {
    const copy = join(folder, `${name}${path.match(/\.\w+$/)?.[0] ?? ''}`);
    cpSync(join(SYSTEMS, path), copy, { recursive: true });
    await stores.open(copy, name);
  }
  const changes = createChangeService({ journal, sources: (id) => stores.source(id), readOnly: false });
  const loginCodes = createLoginCodes(TOKEN);
  const app = await testApp({
    stores,
    changes,
    annotations,
    loginCodes,
    proposals: journal.proposals,
    agents: journal.agents,
  });
  ({ inspector } = app);
  ask = async (path, init) => app.ask(path, init);
  checked = checker(documentSchema.parse(await (await ask('/api/openapi.json')).json()));
  return async () => stores.closeAll();
}, 60_000);
afterAll(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** Asks, finds the operation, and compares the answer with its schema. */
function checker(document: z.infer<typeof documentSchema>) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'document');
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^/api${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    literal: path.replaceAll(/\{\w+\}/g, '').length,
  }));
  const seen = new Set<string>();

  const assertFits = (pointer: readonly string[], value: unknown, what: string) => {
    const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    const $ref = `document#/${escaped.join('/')}`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    expect(validate(value) ? [] : validate.errors, what).toEqual([]);
  };

  return {
    seen,
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    ),
    assertFits,
    async send(url: string, init: RequestInit = {}) {
      const answer = await ask(url, init);
      const { path } =
        templates
          .filter(({ pattern }) => pattern.test(url.replace(/\?.*$/, '')))
          .toSorted((a, b) => b.literal - a.literal)[0] ?? {};
      if (path === undefined) throw new Error(`No operation for ${url}`);
      const method = (init.method ?? 'GET').toLowerCase();
      seen.add(`${method} ${path}`);
      const responses = document.paths[path]?.[method]?.responses ?? {};
      const exact = String(answer.status);
      const status = exact in responses ? exact : `${exact.charAt(0)}XX`;
      const type = answer.headers.get('content-type')?.replace(/;.*$/, '') ?? '';
      const what = `${method} ${url} ${answer.status}`;
      expect(Object.keys(responses), `${what} is a status that the document names`).toContain(status);
      const content = responses[status]?.content;
      if (content === undefined) return undefined;
      expect(Object.keys(content), what).toContain(type);
      if (type !== 'application/json') return answer.text();
      const text = await answer.text();
      // Python writes NaN into its states, and they leave as stored.
      if (/\/state(?:\/value)?$/.test(path) && /\bNaN\b/.test(text)) return void parseJson(text);
      const value: unknown = JSON.parse(text);
      assertFits(['paths', path, method, 'responses', status, 'content', type, 'schema'], value, what);
      return value;
    },
  };
}

const items = async (url: string) => itemsSchema.parse(await checked.send(url)).items;

describe('every JSON answer has the form that the document gives it', () => {
  it('of the lists over all stores', async () => {
    const paths = [
      'status',
      'metrics',
      'stores',
      'tasks',
      'activity',
      'proposals',
      'trash',
      'trash/summary',
      'storage',
      'errors',
    ];
    for (const path of [...paths, 'inbox', 'outlines', 'usage', 'search?q=a']) await checked.send(`/api/${path}`);
  }, 60_000);

  it.each(['memory', ...Object.keys(FIXTURES)])(
    'of the tasks and checkpoints of %s',
    async (name) => {
      const tasks = (await items(`/api/tasks?limit=200`))
        .filter(({ store }) => store.startsWith(name))
        .slice(0, PER_STORE);
      expect(tasks).not.toEqual([]);
      for (const { store, id } of tasks) {
        const task = `/api/stores/${store}/tasks/${idToSegment(id)}`;
        for (const path of ['', '/tree', '/tree/columns', '/lanes', '/explain', '/growth'])
          await checked.send(task + path);
        await checked.send(`/api/stores/${store}/annotations?task=${encodeURIComponent(id)}`);
        const rows = (await items(`${task}/checkpoints?summary=1`)).slice(0, PER_STORE);
        for (const row of rows) await checkpoint(row);
        const [a, b = a] = rows.map(({ namespace, ...row }) =>
          formatAddress({ store, task: id, id: row.id, ...(namespace === undefined ? {} : { namespace }) }),
        );
        const pair = a && new URLSearchParams({ a: b ?? a, b: a }).toString();
        for (const path of pair ? ['diff', 'diff/steps', 'compare'] : []) await checked.send(`/api/${path}?${pair}`);
        const lines = await checked.send(`${task}/history?path=${encodeURIComponent('$')}`);
        if (typeof lines !== 'string') continue;
        for (const line of lines.trim().split('\n'))
          checked.assertFits(['components', 'schemas', 'HistoryLine'], JSON.parse(line), `history of ${id}`);
      }
    },
    60_000,
  );

  async function checkpoint({ store, id, taskId = '', namespace = '' }: z.infer<typeof itemsSchema>['items'][number]) {
    const narrow = new URLSearchParams({ task: taskId, ns: namespace }).toString();
    const at = `/api/stores/${store}/checkpoints/${idToSegment(id)}`;
    await checked.send(`/api/stores/${store}/checkpoints?${new URLSearchParams({ id }).toString()}`);
    await checked.send(`/api/stores/${store}/gone?${narrow}&${new URLSearchParams({ id }).toString()}`);
    for (const path of [
      '?',
      '/annotations?',
      '/beside?',
      '/raw?',
      '/state?',
      '/state?path=$&depth=2&',
      '/state/find?text=a&',
    ])
      await checked.send(`${at}${path}${narrow}`);
    await checked.send(`${at}/state/value?path=$&${narrow}`);
    // 416, and its words.
    await checked.send(`${at}/raw?${narrow}`, { headers: { range: 'bytes=999999999-' } });
  }

  it('of changes, and of what is refused', async () => {
    const item = '/api/stores/memory/checkpoints/cp-2';
    const put = (value: unknown) => ({ ...jsonBody(value), method: 'PUT' });
    await checked.send(`${item}/labels/good`, { method: 'PUT' });
    await checked.send(`${item}/note`, put({ note: 'n' }));
    await checked.send(`${item}/labels/good`, { method: 'DELETE' });
    const etag = async () => ({ 'if-match': (await ask(`${item}/state`)).headers.get('etag') ?? '' });
    await checked.send(`${item}/restore`, { method: 'POST', headers: await etag() });
    const restore = { kind: 'restore' as const, ref: { task: 'run-1', id: 'cp-2' } };
    const by = { name: 'agent', version: '1' };
    const proposal = await inspector.proposals.propose({ store: storeId('memory'), request: restore, by, reason: 'r' });
    inspector.agents.session({ client: () => by }).did('read', { store: storeId('memory'), task: 'run-1' });
    const grant = journal.agents.give({ client: by.name, spec: 'may=save' });
    await checked.send('/api/masking');
    await checked.send('/api/masking', put({ hide: ['internal-\\d+'], safe: ['public_key'] }));
    await checked.send('/api/agents');
    await checked.send(`/api/grants/${grant.id}`, { method: 'DELETE' });
    await checked.send('/api/proposals');
    await checked.send(`/api/proposals/${proposal.id}`);
    await checked.send(`/api/proposals/${proposal.id}/apply`, jsonBody({ planId: 'none' }));
    await checked.send(`/api/proposals/${proposal.id}/dismiss`, { method: 'POST' });
    const request = { kind: 'delete', refs: [{ task: 'run-1', id: 'cp-3' }] };
    const { id } = z
      .looseObject({ id: z.string() })
      .parse(await checked.send('/api/plans', jsonBody({ store: 'memory', request })));
    await checked.send(`/api/plans/${id}/items?part=removes`);
    const receipt = z
      .looseObject({ id: z.string() })
      .parse(await checked.send(`/api/plans/${id}/apply`, { method: 'POST' }));
    await checked.send(`/api/receipts/${receipt.id}`);
    await checked.send(`/api/receipts/${receipt.id}/undo`, { method: 'POST' });
    await checked.send(item, { method: 'DELETE', headers: await etag() });
    for (const path of ['activity', 'trash', 'trash/summary', 'storage']) await checked.send(`/api/${path}`);
    const purge = z
      .looseObject({ id: z.string() })
      .parse(await checked.send('/api/trash/plans', jsonBody({ what: 'all' })));
    await checked.send('/api/trash/purge', jsonBody({ planId: purge.id }));
    await checked.send('/api/trash/settings', put({ keepDays: 30 }));
    const target = { store: 'memory', task: 'run-2' };
    await checked.send('/api/export/preview', jsonBody(target));
    for (const format of ['bundle', 'html', 'viewer'])
      await checked.send('/api/export', jsonBody({ ...target, format }));
    const body = await (await ask('/api/export', jsonBody({ ...target, format: 'bundle' }))).text();
    await checked.send('/api/bundles?name=case', { ...jsonBody(0), body });
    await checked.send('/api/import', jsonBody({ store: 'case', to: join(folder, 'imported.db') }));
    await checked.send('/api/session', jsonBody({ code: 'wrong' }));
    await checked.send('/api/demo/reset', { method: 'POST' });
    await checked.send('/api/demo/scene', jsonBody({ scene: 1 }));
    await checked.send('/api/stores', jsonBody({ target: '/nowhere/at/all' }));
    vi.stubEnv('HOME', folder);
    await checked.send('/api/home', { method: 'POST' });
    vi.unstubAllEnvs();
    await checked.send('/api/stores/memory/keep-index', { method: 'POST' });
    await checked.send('/api/stores/memory/unlock', jsonBody({ key: 'x' }));
    await checked.send('/api/stores/memory', { method: 'DELETE' });
    await checked.send('/api/plans/none/apply', { method: 'POST' });
    await checked.send('/api/tasks?limit=x');
  }, 60_000);

  it('and no operation of the document was left out, but the endless stream of events', () => {
    expect(checked.operations.filter((operation) => !checked.seen.has(operation))).toEqual(['get /events']);
  });
});
