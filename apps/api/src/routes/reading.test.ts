import { sha256Hex } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { HOST, TOKEN, testApp, wire } from '../testing/app.ts';

const cp = (id: string, query = '') => `/api/stores/memory/checkpoints/${id}${query}`;

describe('GET /api/status and /api/stores', () => {
  it('answers with the status and the open stores', async () => {
    const { ask, store } = await testApp();
    expect(await wire(ask('/api/status'))).toMatchObject({ version: '0.0.0', readOnly: false, pid: 1 });
    expect(await (await ask('/api/stores')).json()).toEqual({ items: [store.info] });
  });
});

describe('GET /api/tasks', () => {
  it('lists, filters and pages', async () => {
    const { ask } = await testApp();
    const all = await wire(ask('/api/tasks'));
    expect(all.items.map((task) => task.id).sort()).toEqual(['run-1', 'run-2']);
    expect(all.failures).toEqual([]);
    const first = await wire(ask('/api/tasks?limit=1'));
    const second = await wire(ask(`/api/tasks?limit=1&cursor=${first.cursor}`));
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.cursor).toBeUndefined();
    expect((await wire(ask('/api/tasks?text=RUN-2'))).items).toHaveLength(1);
    expect((await wire(ask('/api/tasks?store=memory&status=failed'))).items).toEqual([]);
    expect((await wire(ask('/api/tasks?store=memory&since=2000-01-01'))).items).toHaveLength(2);
    expect((await wire(ask('/api/tasks?store=memory&since=2999-01-01'))).items).toEqual([]);
    expect((await ask('/api/tasks?since=yesterday')).status).toBe(400);
  });

  it('tells and filters what completed with a check that failed, and groups it among the errors', async () => {
    const { ask, store } = await testApp();
    const text = '{"checks":[{"name":"total","passed":false}]}';
    await store.save({ task: 'checked', id: 'checked-1', text, status: 'completed' });
    const found = await wire(ask('/api/tasks?status=check_failed'));
    expect(found.items).toMatchObject([{ id: 'checked', status: 'completed', outcome: 'check_failed' }]);
    expect(found.coverage).toBeUndefined();
    expect((await wire(ask('/api/tasks?status=completed'))).items.map(({ id }) => id)).not.toContain('checked');
    expect((await wire(ask('/api/errors'))).items).toMatchObject([
      { outcome: 'check_failed', pattern: 'Check total failed', count: 1, current: 1, tasks: [{ task: 'checked' }] },
    ]);
    expect((await wire(ask('/api/outlines?store=memory&task=checked'))).items).toMatchObject([
      { error: 'Check total failed', marks: ['check_failed'] },
    ]);
  });

  it.each(['limit=0', 'limit=-1', 'limit=1.5', 'limit=x', 'status=odd', 'store=A%20B', 'cursor=bm9uc2Vuc2U'])(
    'S29 answers 400 to %s',
    async (query) => {
      const { ask } = await testApp();
      const answer = await ask(`/api/tasks?${query}`);
      expect(answer.status).toBe(400);
      expect((await wire(answer)).error.code).toBe('invalid_input');
    },
  );

  it('S29 takes no more than 1000 for limit=1e9, and survives odd cursors', async () => {
    const { ask } = await testApp();
    expect((await ask('/api/tasks?limit=1e9')).status).toBe(200);
    const odd = ["'; DROP TABLE x; --", 'W10', 'null', '%00', '../../etc/passwd', '{"a":1}', 'x'.repeat(5000)];
    for (const cursor of odd) {
      const query = `cursor=${encodeURIComponent(cursor)}`;
      expect((await ask(`/api/tasks?${query}`)).status).toBe(400);
      expect((await ask(`/api/stores/memory/tasks/run-1/checkpoints?${query}`)).status).toBeLessThan(500);
    }
  });
});

describe('GET one task and its tree', () => {
  it('answers with the task, and every checkpoint once', async () => {
    const { ask } = await testApp();
    expect(await wire(ask('/api/stores/memory/tasks/run-1'))).toMatchObject({ id: 'run-1', checkpointCount: 3 });
    const { items } = await wire(ask('/api/stores/memory/tasks/run-1/tree'));
    expect(items.map((row) => row.id)).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect((await ask('/api/stores/memory/tasks/none')).status).toBe(404);
    expect((await ask('/api/stores/none/tasks/run-1')).status).toBe(404);
  });

  it.each(['', '.', '..', '~', 'a/b', '../x', 'a%2Fb', 'é ü', 'x?y#z', 'a\nb', '__proto__', 'x;y', ':id', '%', '%FF'])(
    'S22 finds a task and a checkpoint with the id %j',
    async (id) => {
      const { ask, store } = await testApp();
      const { idToSegment } = await import('@checkpoint-inspector/core');
      await store.save({ task: `t${id}`, id: `c${id}`, text: '{}' });
      const task = await ask(`/api/stores/memory/tasks/${idToSegment(`t${id}`)}`);
      expect(await task.json()).toMatchObject({ id: `t${id}` });
      const meta = await ask(`/api/stores/memory/checkpoints/${idToSegment(`c${id}`)}`);
      expect(await meta.json()).toMatchObject({ id: `c${id}`, taskId: `t${id}` });
    },
  );
});

describe("GET a task's growth", () => {
  it('tells what each entry takes up, and what pruning would free', async () => {
    const { ask, store } = await testApp();
    const sizes = (await store.checkpoints('run-1')).items.map(({ sizeBytes }) => sizeBytes);
    expect(await wire(ask('/api/stores/memory/tasks/run-1/growth'))).toMatchObject({
      store: 'memory',
      task: 'run-1',
      listed: { checkpoints: 3 },
      states: {
        entries: [
          { key: 'big', bytes: 60, checkpoints: 3, values: 2, repeatedBytes: 20, largest: 20 },
          { key: 'n', bytes: 5, checkpoints: 3, values: 3 },
        ],
      },
      examined: { n: 3, of: 3 },
      keeping: [
        { newest: 1, checkpoints: 2, bytes: (sizes[1] ?? 0) + (sizes[2] ?? 0) },
        { newest: 10, checkpoints: 0, bytes: 0 },
      ],
    });
    expect((await ask('/api/stores/memory/tasks/nobody/growth')).status).toBe(404);
  });
});

describe('GET checkpoints of a task', () => {
  const path = '/api/stores/memory/tasks/run-1/checkpoints';

  it('gives resume order in pages, and the page around an id', async () => {
    const { ask } = await testApp();
    const first = await wire(ask(`${path}?limit=2`));
    const second = await wire(ask(`${path}?limit=2&cursor=${encodeURIComponent(first.cursor ?? '')}`));
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(['cp-3', 'cp-2', 'cp-1']);
    const around = await wire(ask(`${path}?limit=1&around=cp-2`));
    expect(around.items.map((item) => item.id)).toEqual(['cp-2']);
  });

  it('adds what changed since the parent when asked', async () => {
    const { ask } = await testApp();
    const { items } = await wire(ask(`${path}?summary=1`));
    expect(items[0]?.summary).toContain('2 → 3.0');
    expect(items[1]?.summary).toMatch(/67890 → .*67891, and 1 more/);
    expect(items[2]?.summary).toBeUndefined();
    const plain = await wire(ask(path));
    expect(plain.items.some((item) => 'summary' in item)).toBe(false);
  });
});

describe('GET one checkpoint', () => {
  it('names the candidates of an ambiguous id, and takes a task to narrow', async () => {
    const { ask } = await testApp();
    const answer = await ask(cp('cp-1'));
    expect(answer.status).toBe(409);
    const { error } = await wire(answer);
    expect(error.code).toBe('ambiguous_id');
    expect(error.data?.candidates).toHaveLength(2);
    const meta = await wire(ask(cp('cp-1', '?task=run-2&ns=')));
    expect(meta).toMatchObject({ id: 'cp-1', taskId: 'run-2', revision: await sha256Hex('{"other": true}') });
    expect((await wire(ask(cp('cp-1', '?task=run-1')))).taskId).toBe('run-1');
    expect((await wire(ask('/api/stores/memory/checkpoints?id=cp-1'))).items).toHaveLength(2);
    expect((await wire(ask('/api/stores/memory/checkpoints?id=none'))).items).toEqual([]);
  });

  it.each(['', '?task=run-1', '?task=run-1&ns=', '?task=run-1&ns=other', '?task=none&ns='])(
    'answers 404 to an unknown one%s',
    async (query) => {
      const { ask } = await testApp();
      for (const tail of ['', '/state', '/raw']) {
        const answer = await ask(`/api/stores/memory/checkpoints/none${tail}${query}`);
        expect(answer.status).toBe(404);
        expect((await wire(answer)).error.code).toBe('not_found');
      }
    },
  );
});

describe('GET state and raw', () => {
  it('S32 sends the stored text as it is, with its hash as ETag', async () => {
    const { ask } = await testApp();
    const text = '{"n": 3.0, "big": 12345678901234567891}';
    const answer = await ask(cp('cp-3', '/state'));
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get('etag')).toBe(`"${await sha256Hex(text)}"`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-state-derived')).toBeNull();
    const raw = await ask(cp('cp-3', '/raw'));
    expect(await raw.text()).toBe(text);
    expect(raw.headers.get('content-disposition')).toBe('attachment');
  });

  it('answers 304 while the hash is the same', async () => {
    const { ask, store } = await testApp();
    for (const tail of ['/state', '/raw']) {
      const etag = (await ask(cp('cp-3', tail))).headers.get('etag') ?? '';
      const again = await ask(cp('cp-3', tail), { headers: { 'if-none-match': `"x", W/${etag}` } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
    }
    const etag = (await ask(cp('cp-3', '/state'))).headers.get('etag') ?? '';
    await store.save({ task: 'run-1', id: 'cp-3', text: '{"n":4}' });
    expect((await ask(cp('cp-3', '/state'), { headers: { 'if-none-match': etag } })).status).toBe(200);
  });
});

describe('GET /api/diff', () => {
  it('tells numbers apart that JSON.parse does not', async () => {
    const { ask } = await testApp();
    const diff = await wire(ask('/api/diff?a=memory/run-1/cp-1&b=memory/run-1/cp-2'));
    expect(diff.items).toContainEqual(
      expect.objectContaining({ path: '$.big', before: '12345678901234567890', after: '12345678901234567891' }),
    );
    expect(diff.summary).toMatchObject({ changed: 2 });
    expect(diff.ignoreRules).toEqual((await testApp()).store.info.volatilePaths);
  });

  it("leaves out the store's volatile paths unless asked otherwise", async () => {
    const { ask, stores, store } = await testApp();
    await stores.close(store.info.id);
    Object.assign(store, { info: { ...store.info, volatilePaths: ['$.big'] } });
    stores.add(store);
    const path = '/api/diff?a=memory/run-1/cp-1&b=memory/run-1/cp-2';
    const [defaults, none, own] = await Promise.all(
      ['', '&ignore=', '&ignore=$.n&ignore=$.big'].map(async (query) => (await ask(path + query)).json()),
    );
    expect(defaults).toMatchObject({ ignoreRules: ['$.big'], summary: { changed: 1 } });
    expect(none).toMatchObject({ ignoreRules: [], summary: { changed: 2 } });
    expect(own).toMatchObject({ ignoreRules: ['$.n', '$.big'], summary: { changed: 0 } });
  });

  it('names the checkpoints on the way that changed each row, by the same rules', async () => {
    const { ask } = await testApp();
    const steps = (a: string, b: string, more = '') => wire(ask(`/api/diff/steps?a=memory/${a}&b=memory/${b}${more}`));
    expect(await steps('run-1/cp-1', 'run-1/cp-3')).toMatchObject({
      onLine: true,
      of: 2,
      complete: true,
      steps: [{ ref: { id: 'cp-2' } }, { ref: { id: 'cp-3' } }],
      items: [
        { path: '$.n', kind: 'changed', at: [1, 0], count: 2 },
        { path: '$.big', kind: 'changed', at: [0], count: 1 },
      ],
    });
    expect(await steps('run-1/cp-1', 'run-1/cp-3', '&ignore=$.n')).toMatchObject({ items: [{ path: '$.big' }] });
    const none = { onLine: false, items: [] };
    expect(await steps('run-1/cp-3', 'run-1/cp-1')).toMatchObject(none);
    expect(await steps('run-2/cp-1', 'run-1/cp-3')).toMatchObject(none);
    expect(await steps('run-1/cp-1', 'run-1/cp-1')).toMatchObject(none);
  });

  it.each([
    ['a=memory/run-1/cp-1', 400],
    ['a=memory&b=memory/run-1/cp-1', 400],
    ['a=memory/run-1/%25&b=memory/run-1/cp-1', 400],
    ['a=memory/run-1/none&b=memory/run-1/cp-1', 404],
    ['a=none/run-1/cp-1&b=memory/run-1/cp-1', 404],
  ])('answers %s with %d', async (query, status) => {
    const { ask } = await testApp();
    expect((await ask(`/api/diff?${query}`)).status).toBe(status);
    expect((await ask(`/api/diff/steps?${query}`)).status).toBe(status);
  });
});

describe('what is missing', () => {
  it('S19 is answered in wire form, without stack, path or token', async () => {
    const { ask } = await testApp();
    for (const path of ['/api', '/api/none', '/api/stores/memory/none', '/api/tasks/x']) {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      const text = await answer.text();
      expect(JSON.parse(text).error).toMatchObject({ code: 'not_found' });
      expect(text).not.toMatch(/node_modules|\.ts:|\n\s+at /);
      expect(text).not.toContain(TOKEN);
    }
  });

  it('S19 hides the message of an unknown failure, and tells the server', async () => {
    const seen: unknown[] = [];
    const { ask, store } = await testApp({ onDefect: (error) => seen.push(error) });
    const failure = new Error('ENOENT: /home/someone/secret.sqlite');
    store.state = () => Promise.reject(failure);
    const answer = await ask(cp('cp-3', '/state'));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/home|secret|ENOENT/);
    expect(seen).toEqual([failure]);
  });
});

describe('headers of every answer', () => {
  it('S9 S10 protect without CORS', async () => {
    const { app, ask } = await testApp();
    for (const path of ['/api/tasks', '/api/none', cp('cp-3', '/state'), '/none.js']) {
      const { headers } = await ask(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect((await ask('/api/tasks')).headers.get('cache-control')).toBe('no-store');
    const preflight = await app.request(`http://${HOST}/api/tasks`, {
      method: 'OPTIONS',
      headers: {
        host: HOST,
        origin: 'http://evil.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-private-network': 'true',
      },
    });
    expect(preflight.status).toBe(403);
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(preflight.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
