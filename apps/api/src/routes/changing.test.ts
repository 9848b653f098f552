import { sha256Hex } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { jsonBody, status, testApp, wire } from '../testing/app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';

const item = '/api/stores/memory/checkpoints/cp-2';
const ref = { task: 'run-1', id: 'cp-2' };
const planBody = { store: 'memory', request: { kind: 'delete', refs: [ref] } };

describe('plans and receipts', () => {
  it('previews, applies, undoes and reads back', async () => {
    const { ask, asked } = await testApp();
    const planned = await ask('/api/plans', jsonBody(planBody));
    expect(planned.status).toBe(201);
    expect(await wire(planned)).toMatchObject({ id: 'plan-1', store: 'memory' });
    expect(await wire(ask('/api/plans/plan-1/apply', { method: 'POST' }))).toMatchObject({ id: 'receipt-1' });
    expect((await ask('/api/receipts/receipt-1/undo', { method: 'POST' })).status).toBe(200);
    expect(asked).toEqual(['preview delete', 'apply plan-1', 'undo receipt-1']);
    expect((await ask('/api/receipts/receipt-1')).status).toBe(200);
    const unknown = await ask('/api/receipts/none');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { remedy: 'List them with `receipts`.' } });
    expect((await wire(ask('/api/activity'))).items).toHaveLength(1);
    expect((await wire(ask('/api/trash?limit=5&store=memory'))).items).toEqual([]);
  });

  it.each([
    ['an unknown kind', { store: 'memory', request: { kind: 'vanish' } }],
    ['no request', { store: 'memory' }],
    ['a bad store id', { ...planBody, store: '../x' }],
    ['a ref without id', { store: 'memory', request: { kind: 'restore', ref: { task: 'a' } } }],
    ['an array', []],
    ['null', null],
  ])('answers 400 to %s', async (_name, value) => {
    const { ask, asked } = await testApp();
    const answer = await ask('/api/plans', jsonBody(value));
    expect(answer.status).toBe(400);
    expect((await wire(answer)).error.code).toBe('invalid_input');
    expect(asked).toEqual([]);
  });

  it('answers 400 to text that is not JSON', async () => {
    const { ask } = await testApp();
    const answer = await ask('/api/plans', { ...jsonBody(0), body: '{"store":' });
    expect(answer.status).toBe(400);
    expect((await wire(answer)).error.code).toBe('invalid_input');
  });
});

describe('S58 If-Match', () => {
  const changes = [
    ['DELETE', item, 'preview delete'],
    ['POST', `${item}/restore`, 'preview restore'],
  ] as const;

  it.each(changes)('%s %s changes what was shown, and nothing else', async (method, path, preview) => {
    const { ask, asked, store } = await testApp();
    const etag = (await ask(`${item}/state`)).headers.get('etag') ?? '';
    expect((await ask(path, { method })).status).toBe(428);
    expect((await ask(path, { method, headers: { 'if-match': '*' } })).status).toBe(428);
    expect((await ask(path, { method, headers: { 'if-match': `W/${etag}` } })).status).toBe(428);
    await store.save({ ...ref, text: '{"n":"saved again"}' });
    const stale = await ask(path, { method, headers: { 'if-match': etag } });
    expect(stale.status).toBe(412);
    expect((await wire(stale)).error.code).toBe('changed');
    expect(asked).toEqual([]);
    const fresh = `"${await sha256Hex('{"n":"saved again"}')}"`;
    expect((await ask(path, { method, headers: { 'if-match': fresh } })).status).toBe(200);
    expect(asked).toEqual([preview, 'apply plan-1']);
  });

  it('goes by the stored bytes where the state cannot be read', async () => {
    const { InspectorError } = await import('@checkpoint-inspector/core');
    const store = await seededStore();
    store.state = () => Promise.reject(new InspectorError('unreadable', 'Not JSON.'));
    store.raw = async () => new TextEncoder().encode('broken');
    const { ask, asked } = await testApp({}, store);
    const headers = { 'if-match': `"${await sha256Hex('broken')}"` };
    expect((await ask(item, { method: 'DELETE', headers })).status).toBe(200);
    expect(asked).toEqual(['preview delete', 'apply plan-1']);
  });

  it('S30 answers 404 to patterns, which are ids like any other', async () => {
    const { ask, asked } = await testApp();
    for (const id of ['*', '%3F*', 'cp%25', 'cp_1', '%5Ba-z%5D*']) {
      const headers = { 'if-match': '"x"' };
      expect((await ask(`/api/stores/memory/checkpoints/${id}`, { method: 'DELETE', headers })).status).toBe(404);
    }
    expect(asked).toEqual([]);
  });
});

describe('read-only', () => {
  it.each([
    ['POST', '/api/plans/plan-1/apply'],
    ['POST', '/api/receipts/receipt-1/undo'],
    ['DELETE', item],
    ['POST', `${item}/restore`],
  ])('refuses %s %s', async (method, path) => {
    const { ask, asked } = await testApp({ status: { ...status, readOnly: true } });
    const answer = await ask(path, { method, headers: { 'if-match': '"x"' } });
    expect(answer.status).toBe(403);
    expect((await wire(answer)).error.code).toBe('read_only');
    expect(asked).toEqual([]);
  });
});

describe('S11 content types', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/plain; application/json',
  ])('refuses %s', async (type) => {
    const { ask, asked } = await testApp();
    for (const path of ['/api/plans', '/api/stores', '/api/plans/plan-1/apply', `${item}/restore`]) {
      const answer = await ask(path, {
        method: 'POST',
        body: JSON.stringify(planBody),
        headers: { 'content-type': type, 'if-match': '"x"' },
      });
      expect(answer.status).toBe(415);
      expect((await wire(answer)).error.code).toBe('invalid_input');
    }
    expect(asked).toEqual([]);
  });

  it('S44 refuses compressed bodies, and bodies over 8 MiB, of plans over 64', async () => {
    const { ask } = await testApp();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await ask('/api/plans', { method: 'POST', body: 'x', headers })).status).toBe(415);
    for (const [path, bytes] of [
      ['/api/stores', 9_000_000],
      ['/api/plans', 68_000_000],
    ] as const) {
      const large = await ask(path, jsonBody('x'.repeat(bytes)));
      expect(large.status).toBe(413);
      expect((await wire(large)).error.code).toBe('too_large');
    }
  });

  it('lets no field or header choose another method', async () => {
    const { ask, asked } = await testApp();
    const headers = { 'content-type': 'application/json', 'x-http-method-override': 'DELETE', 'if-match': '"x"' };
    expect((await ask(`${item}?_method=DELETE`, { method: 'POST', body: '{}', headers })).status).toBe(405);
    expect(asked).toEqual([]);
  });
});

describe('events', () => {
  it('tells of saves, receipts and stores', async () => {
    const { ask, store, stores, announce } = await testApp();
    const answer = await ask('/api/events');
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = answer.body?.getReader();
    const next = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await next()).toContain('event: ping');
    await store.save({ task: 'run-1', id: 'cp-4', text: '{}' });
    expect(await next()).toContain('event: change\ndata: {"store":"memory","task":"run-1"}');
    announce();
    expect(await next()).toContain('event: change');
    expect(await next()).toContain('event: receipt\ndata: {"store":"memory","task":"run-1","id":"receipt-1"}');
    await stores.close(store.info.id);
    expect(await next()).toContain('event: stores');
    await reader?.cancel();
  });
});
