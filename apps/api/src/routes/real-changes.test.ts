import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointStore } from '@checkpoint-inspector/core';
import { openJournal } from '@checkpoint-inspector/changes';
import type { Journal } from '@checkpoint-inspector/changes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { createChangeService } from '@checkpoint-inspector/changes';
import { createInspector, createStoreService } from '@checkpoint-inspector/inspector';
import { HOST, TOKEN, jsonBody, status, wire } from '../testing/app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';

let folder: string;
let journal: Journal;
let store: CheckpointStore;
let ask: (path: string, init?: RequestInit) => Promise<Response>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'));
  journal = openJournal({ folder });
  store = await seededStore();
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  const changes = createChangeService({ journal, sources: (id) => stores.source(id), readOnly: false });
  const inspector = createInspector({ stores, changes, readOnly: false });
  const app = createApp({ inspector, status, guards: { token: TOKEN, hosts: [HOST] } });
  ask = async (path, init = {}) => {
    const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers };
    return app.request(`http://${HOST}${path}`, { ...init, headers });
  };
});

afterEach(async () => {
  journal.close();
  await rm(folder, { recursive: true });
});

async function ids(): Promise<(string | undefined)[]> {
  return (await wire(ask('/api/stores/memory/tasks/run-1/checkpoints'))).items.map((item) => item.id);
}

async function etag(id: string): Promise<Record<string, string>> {
  const answer = await ask(`/api/stores/memory/checkpoints/${id}/state?task=run-1&ns=`);
  return { 'if-match': answer.headers.get('etag') ?? '' };
}

describe('changes through the whole stack', () => {
  it('deletes by plan, and undo brings the row back as it was', async () => {
    const before = await store.raw?.({ task: 'run-1', id: 'cp-2' });
    const request = { kind: 'delete', refs: [{ task: 'run-1', id: 'cp-2' }] };
    const plan = await wire(ask('/api/plans', jsonBody({ store: 'memory', request })));
    expect(plan).toMatchObject({ removes: { count: 1 }, request });
    expect(await ids()).toEqual(['cp-3', 'cp-2', 'cp-1']);
    const receipt = await wire(ask(`/api/plans/${String(plan['id'])}/apply`, { method: 'POST' }));
    expect(receipt).toMatchObject({ removed: [{ task: 'run-1', id: 'cp-2' }], undoable: true });
    expect(await ids()).toEqual(['cp-3', 'cp-1']);
    expect((await wire(ask('/api/trash'))).items).toHaveLength(1);
    expect((await ask(`/api/receipts/${String(receipt['id'])}/undo`, { method: 'POST' })).status).toBe(200);
    expect(await ids()).toEqual(['cp-3', 'cp-2', 'cp-1']);
    expect(await store.raw?.({ task: 'run-1', id: 'cp-2' })).toEqual(before);
    expect((await wire(ask('/api/activity'))).items).toHaveLength(2);
    const files = await readdir(folder);
    expect(files).toContain('journal.sqlite');
    for (const file of files) expect((await readFile(join(folder, file))).includes(TOKEN), `S21 ${file}`).toBe(false);
  });

  it('S58 restores in one call what was shown, and nothing that changed since', async () => {
    const path = '/api/stores/memory/checkpoints/cp-2/restore?task=run-1&ns=';
    const headers = await etag('cp-2');
    const receipt = await wire(ask(path, { method: 'POST', headers }));
    expect(receipt).toMatchObject({ proof: 'same' });
    const { ref } = await store.latest('run-1');
    expect(ref && (await store.state(ref))?.text).toBe('{"n": 2, "big": 12345678901234567891}');
    await store.save({ task: 'run-1', id: 'cp-2', text: '{"n": 0}' });
    const stale = await ask(path, { method: 'POST', headers });
    expect(stale.status).toBe(412);
  });

  it('edits by plan: a child with that text, its text in no list, and undo', async () => {
    const edited = '{"n": 2.50, "big": 12345678901234567891}';
    const request = { kind: 'edit', ref: { task: 'run-1', id: 'cp-2' }, text: edited, reason: 'half', author: 'Ann' };
    const plan = await wire(ask('/api/plans', jsonBody({ store: 'memory', request })));
    expect(plan).toMatchObject({ writes: { count: 1 }, request: { kind: 'edit', textBytes: 40, reason: 'half' } });
    const receipt = await wire(ask(`/api/plans/${String(plan['id'])}/apply`, { method: 'POST' }));
    expect(receipt).toMatchObject({ proof: 'same', written: [{ task: 'run-1', id: 'cp-2-edit-1' }] });
    expect(await ids()).toEqual(['cp-2-edit-1', 'cp-3', 'cp-2', 'cp-1']);
    expect((await store.state({ task: 'run-1', id: 'cp-2-edit-1' }))?.text).toBe(edited);
    const activity = await (await ask('/api/activity')).text();
    expect(activity).toContain('"reason":"half"');
    expect(activity).not.toContain('2.50');
    expect((await ask(`/api/receipts/${String(receipt['id'])}/undo`, { method: 'POST' })).status).toBe(200);
    expect(await ids()).toEqual(['cp-3', 'cp-2', 'cp-1']);
  });

  it('refuses an edit that is not JSON by its place, and takes one far larger than other bodies', async () => {
    const planned = async (text: string, headers: Record<string, string> = {}) => {
      const { headers: own, ...init } = jsonBody({
        store: 'memory',
        request: { kind: 'edit', ref: { task: 'run-1', id: 'cp-2' }, text },
      });
      return ask('/api/plans', { ...init, headers: { ...(own as Record<string, string>), ...headers } });
    };
    const refused = await planned('{"n": 1,\n  "m": }');
    expect(refused.status).toBe(400);
    expect((await wire(refused)).error).toMatchObject({ code: 'invalid_input', data: { line: 2, column: 8 } });
    const large = await planned(JSON.stringify({ text: 'x'.repeat(12 * 1024 * 1024) }));
    expect([large.status, (await wire(large))['writes']]).toMatchObject([201, { count: 1 }]);
    const tooLarge = await planned('{}', { 'content-length': String(65 * 1024 * 1024) });
    expect(tooLarge.status).toBe(413);
    expect((await wire(tooLarge)).error).toMatchObject({
      code: 'too_large',
      message: 'Request body too large (limit 64 MiB).',
    });
    const elsewhere = await ask('/api/stores', {
      ...jsonBody({ path: '/x' }),
      headers: { 'content-type': 'application/json', 'content-length': String(9 * 1024 * 1024) },
    });
    expect((await wire(elsewhere)).error.message).toBe('Request body too large (limit 8 MiB).');
  });

  it('S11 changes nothing for requests that a foreign page can send', async () => {
    const before = await ids();
    const headers = await etag('cp-2');
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:9999']) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
        const foreign = { ...headers, origin, 'content-type': type };
        const path = '/api/stores/memory/checkpoints/cp-2?task=run-1&ns=';
        expect((await ask(path, { method: 'DELETE', headers: foreign })).status).toBe(403);
      }
    }
    expect(await ids()).toEqual(before);
  });

  it('an expired or unknown plan changes nothing', async () => {
    const answer = await ask('/api/plans/none/apply', { method: 'POST' });
    expect((await wire(answer)).error.code).toBe('plan_expired');
  });
});
