import { MemoryStore, sha256Hex, storeId } from '@checkpoint-inspector/core';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createStoreService, defaultRegistry, gather, previewExport, report } from '@checkpoint-inspector/inspector';
import { jsonBody, status, testApp } from '../testing/app.ts';
import { pythonThread } from '@checkpoint-inspector/inspector/testing/python-thread';

const OPENAI = `sk-${'a1B2'.repeat(8)}`;
const AWS = 'AKIAIOSFODNN7EXAMPLE';
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const SECRETS = [OPENAI, AWS, GITHUB];
const TASK = 'leaky';

let store: MemoryStore;
let ask: (path: string, init?: RequestInit) => Promise<Response> | Response;

beforeEach(async () => {
  store = new MemoryStore({ id: storeId('memory') });
  const save = (id: string, text: string, parent?: string, description = 'step') =>
    store.save({ task: TASK, id, text, description, ...(parent ? { parent: { task: TASK, id: parent } } : {}) });
  await save('c-1', `{"n": 4.2, "env": {"OPENAI_API_KEY": "${OPENAI}"}, "big": 12345678901234567890}`);
  await save(
    'c-2',
    `{"n": 4200, "env": {"OPENAI_API_KEY": "${OPENAI}", "aws": "line\\n${AWS}"}, "big": 12345678901234567890}`,
    'c-1',
  );
  // The same secret, spelled with an escape that hides its shape from a plain search.
  await save('c-3', `{"n": 4.2, "git": "\\u0067hp_${GITHUB.slice(4)}", "<b>": "</script>"}`, 'c-2', `used ${GITHUB}`);
  ({ ask } = await testApp({}, store));
});

const post = async (body: Record<string, unknown>): Promise<string> => {
  const answer = await ask('/api/export', jsonBody({ store: 'memory', task: TASK, ...body }));
  expect(answer.status).toBe(200);
  return answer.text();
};

const bundleSchema = z.looseObject({
  redacted: z.boolean(),
  madeBy: z.string(),
  tasks: z.array(
    z.object({
      task: z.looseObject({ id: z.string() }),
      checkpoints: z.array(
        z.looseObject({
          meta: z.looseObject({ id: z.string(), revision: z.string() }),
          parent: z.optional(z.object({ task: z.string(), id: z.string() })),
          note: z.optional(z.string()),
          state: z.object({ text: z.string(), hash: z.string().optional(), redacted: z.boolean() }),
        }),
      ),
    }),
  ),
  masked: z.array(z.object({ name: z.string(), count: z.number() })),
  leftOut: z.array(z.string()),
});

const checkpointsIn = ({ tasks }: z.output<typeof bundleSchema>) => tasks.flatMap(({ checkpoints }) => checkpoints);

describe('S59: export of a state with sk-…, AKIA…, ghp_…', () => {
  it('S59: a bundle masks them unless asked, and says how many of which shape', async () => {
    const text = await post({ format: 'bundle' });
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).not.toContain(GITHUB.slice(4));
    const bundle = bundleSchema.parse(JSON.parse(text));
    expect(bundle).toMatchObject({ format: 'checkpoint-inspector/bundle', version: 1, redacted: true });
    expect(bundle.masked.map(({ name }) => name).toSorted()).toEqual(['AWS access key', 'GitHub token', 'OpenAI key']);
    for (const { state } of checkpointsIn(bundle)) {
      expect(state.redacted).toBe(true);
      expect(state).not.toHaveProperty('hash');
      expect(() => JSON.parse(state.text)).not.toThrow();
    }
  });

  it('S59: a bundle that reveals holds each state to the byte, with its hash', async () => {
    const bundle = bundleSchema.parse(JSON.parse(await post({ format: 'bundle', reveal: true })));
    expect(bundle.redacted).toBe(false);
    expect(checkpointsIn(bundle).map(({ parent }) => parent?.id)).toEqual([undefined, 'c-1', 'c-2']);
    for (const { meta, state } of checkpointsIn(bundle)) {
      const stored = await store.state({ task: TASK, id: meta.id });
      expect(state).toEqual({ text: stored?.text, hash: await sha256Hex(stored?.text ?? ''), redacted: false });
      expect(meta.revision).toBe(stored?.revision);
    }
  });

  it('contains a task once that is named twice', async () => {
    const { tasks } = bundleSchema.parse(JSON.parse(await post({ format: 'bundle', task: [TASK, TASK] })));
    expect(tasks.map(({ task }) => task.id)).toEqual([TASK]);
  });

  it('S59: a report masks them unless asked', async () => {
    const masked = await post({ format: 'html' });
    for (const secret of [...SECRETS, GITHUB.slice(4)]) expect(masked).not.toContain(secret);
    expect(masked).toContain('Masked: ');
    const revealed = await post({ format: 'html', reveal: true });
    for (const secret of SECRETS) expect(revealed).toContain(secret);
    expect(revealed).toContain('Secrets are shown as stored');
  });

  it('S59: the list of what is masked is shown before, and names no secret', async () => {
    const answer = await ask('/api/export/preview', jsonBody({ store: 'memory', task: TASK }));
    const text = await answer.text();
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({
      checkpoints: 3,
      masked: expect.arrayContaining([
        { name: 'OpenAI key', count: 1 },
        { name: 'AWS access key', count: 1 },
      ]),
      leftOut: [],
    });
  });
});

describe('a bundle that is sent and imported', () => {
  const opened = async (readOnly = false) => {
    const stores = createStoreService({ registry: defaultRegistry() });
    stores.add(store);
    onTestFinished(() => stores.closeAll());
    return testApp({ stores, readOnly, status: { ...status, readOnly } });
  };
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const send = async (app: Awaited<ReturnType<typeof opened>>, body: string) =>
    app.ask('/api/bundles?name=case.json', { ...jsonBody(0), body });

  it('opens as a store beside the others, and is copied to a file', async () => {
    await store.save({ task: 'other', id: 'o', text: '{}' });
    const app = await opened();
    const text = await post({ format: 'bundle', task: [TASK, 'other'], reveal: true });
    const answer = await send(app, text);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ items: [{ id: 'case-json', system: 'native' }] });
    const list = z.object({ items: z.array(z.object({ id: z.string() })) });
    const listed = await app.ask('/api/stores/case-json/tasks/leaky/checkpoints');
    expect(list.parse(await listed.json()).items.map(({ id }) => id)).toEqual(['c-3', 'c-2', 'c-1']);
    const state = await app.ask(`/api/stores/case-json/checkpoints/c-2/state`);
    expect(await state.text()).toBe((await store.state({ task: TASK, id: 'c-2' }))?.text);

    const to = join(folder, 'copy.db');
    const copy = (more: object) => app.ask('/api/import', jsonBody({ store: 'case-json', to, ...more }));
    expect(await (await copy({ dryRun: true })).json()).toMatchObject({ copied: 4, verified: 0 });
    expect(existsSync(to)).toBe(false);
    expect(await (await copy({})).json()).toMatchObject({
      tasks: 2,
      copied: 4,
      verified: 4,
      failed: [],
      conflicts: [],
    });
    expect(await (await copy({ task: 'other' })).json()).toMatchObject({ copied: 0, present: 1 });
    expect((await app.ask('/api/stores/case-json', { method: 'DELETE' })).status).toBe(204);
  });

  it('refuses other files, an import under read-only, and an import from another store', async () => {
    const app = await opened(true);
    expect((await send(app, '{"format":"other"}')).status).toBe(404);
    expect((await send(app, '{"format":"checkpoint-inspector/bundle","version":9}')).status).toBe(422);
    expect((await app.ask('/api/import', jsonBody({ store: 'memory', to: join(folder, 'x.db') }))).status).toBe(403);
    const writable = await opened();
    const refused = await writable.ask('/api/import', jsonBody({ store: 'memory', to: join(folder, 'x.db') }));
    expect(refused.status).toBe(400);
    expect(existsSync(join(folder, 'x.db'))).toBe(false);
  });
});

describe('a task whose states cannot be read', () => {
  it('says it once, with their number', async () => {
    const path = await pythonThread({ task: 'a', channel: 'log', idx: 0 }, 42);
    const stores = createStoreService({ registry: defaultRegistry() });
    const [source] = await stores.open(path, 'graph');
    onTestFinished(() => stores.closeAll());
    if (!source) throw new Error('The file opens as one store.');
    const subject = await gather(stores.source(source.id), { task: 't' });
    const { leftOut } = await previewExport([subject]);
    expect(leftOut).toEqual([expect.stringMatching(/^The states of 42 checkpoints are not included: pickle/)]);
    const html = await report(subject, { task: 't' });
    expect(html).toContain('The states of 42 checkpoints are not included');
    // Once for all, and once in the place of the latest state.
    expect(html.split('pickle payload')).toHaveLength(3);
  });
});

describe('a report', () => {
  it('is one file without script, links or inline handlers, whose policy allows only its own style', async () => {
    const html = await post({ format: 'html' });
    expect(html).toMatch(/Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|\son\w+=|url\(|https?:\/\//i);
    expect(html).not.toContain('<b>": "</script>');
  });

  it('shows checkpoints, tree, what each step changed, and the history of a number', async () => {
    const html = await post({ format: 'html' });
    for (const words of ['Checkpoints', 'Fork tree', 'What each step changed', '$.n', '4.2 → <b>4200</b>'])
      expect(html).toContain(words);
    expect(html).toContain('set to 4.2');
    expect(html).toContain('3 checkpoints, 1 lane, 0 fork points');
  });

  it('takes only the checkpoints that are named, and refuses one that is missing', async () => {
    const bundle = bundleSchema.parse(JSON.parse(await post({ format: 'bundle', checkpoints: ['c-2'] })));
    expect(checkpointsIn(bundle).map(({ meta }) => meta.id)).toEqual(['c-2']);
    const missing = await ask(
      '/api/export',
      jsonBody({ store: 'memory', task: TASK, format: 'html', checkpoints: ['x'] }),
    );
    expect(missing.status).toBe(404);
  });

  it('says what did not fit', async () => {
    for (let at = 0; at < 520; at++)
      await store.save({ task: TASK, id: `m-${at}`, text: `{"n":${at},"blob":"${'x'.repeat(200)}"}` });
    const html = await post({ format: 'html' });
    expect(html).toContain('The newest 500 of 523 checkpoints are in this report');
    expect(html.length).toBeLessThan(8 * 1024 * 1024);
  });
});
