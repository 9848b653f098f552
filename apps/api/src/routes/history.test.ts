import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { VALUE_SHOWN } from '@checkpoint-inspector/inspector';
import { testApp, wire } from '../testing/app.ts';
import { testServer } from '../testing/socket.ts';
import { historyLineSchema } from '../wire/index.ts';

const path = (query: string, task = 'run-1') => `/api/stores/memory/tasks/${task}/history?${query}`;

/** Every line, each as the document describes it. */
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => historyLineSchema.parse(JSON.parse(line)));

describe('GET history', () => {
  it('streams rows newest first, values as stored, and an end that counts', async () => {
    const { ask } = await testApp();
    const answer = await ask(path('path=$.n'));
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(linesOf(await answer.text())).toMatchObject([
      { kind: 'changed', ref: { id: 'cp-3' }, before: '2', after: '3.0', position: 2, seq: 3 },
      { kind: 'changed', ref: { id: 'cp-2' }, before: '1', after: '2' },
      { kind: 'set', ref: { id: 'cp-1' }, after: '1', position: 0 },
      { kind: 'done', done: true, examined: 3, of: 3, readable: 3, rows: 3 },
    ]);
    const earlier = linesOf(await (await ask(path('path=$.big&cp=cp-2&ns='))).text());
    expect(earlier).toMatchObject([{ ref: { id: 'cp-2' } }, { ref: { id: 'cp-1' } }, { examined: 2, of: 2, rows: 2 }]);
  });

  it('sends the beginning of a long value, and how long it is', async () => {
    const { ask, store } = await testApp();
    const long = JSON.stringify('x'.repeat(3 * VALUE_SHOWN));
    await store.save({ task: 'long', id: 'a', text: `{"v":${long}}` });
    const [row] = linesOf(await (await ask(path('path=$.v', 'long'))).text());
    expect(row).toMatchObject({ after: long.slice(0, VALUE_SHOWN), afterLength: long.length });
    expect(row).not.toHaveProperty('beforeLength');
  });

  it('says of lists and objects what became of their entries', async () => {
    const { ask, store } = await testApp();
    const said = ['one', 'two', 'three', 'four'];
    const texts = [said.slice(0, 3), said, said.with(2, 'other')];
    for (const [n, v] of texts.entries())
      await store.save({
        task: 'talk',
        id: `t${n}`,
        text: JSON.stringify({ v, o: { price: 4.2 * 1_000 ** n, calls: n } }),
      });
    const withinAt = async (of: string) => {
      const rows = linesOf(await (await ask(path(`path=${of}`, 'talk'))).text());
      return rows.flatMap((row) => ('kind' in row && row.kind === 'changed' ? [row.within] : []));
    };
    expect(await withinAt('$.v')).toEqual([
      {
        before: 4,
        after: 4,
        differences: 1,
        first: { path: '$[2]', kind: 'changed', before: '"three"', after: '"other"' },
      },
      { before: 3, after: 4 },
    ]);
    // The price tells more than the counter beside it.
    expect(await withinAt('$.o')).toMatchObject([
      { differences: 2, first: { path: '$.price', before: '4200' } },
      { before: 2, after: 2, differences: 2, first: { path: '$.price', before: '4.2', after: '4200' } },
    ]);
    expect(await withinAt('$.o.price')).toEqual([undefined, undefined]);
  });

  it.each([
    [path('path=x'), 400],
    [path(''), 400],
    [path('path=$.a&cp=none'), 404],
    [path('path=$.a&cp=none&ns='), 404],
    [path('path=$.a', 'none'), 404],
    ['/api/stores/none/tasks/run-1/history?path=$', 404],
  ])('answers %s with %d before it begins', async (address, status) => {
    const { ask } = await testApp();
    const answer = await ask(address);
    expect(answer.status).toBe(status);
    expect((await wire(answer)).error.code).toMatch(/invalid_input|not_found/);
  });

  it('ends with a line that says so when a defect stops it, and tells nothing of it', async () => {
    const { ask, store } = await testApp();
    store.state = () => Promise.reject(new Error('ENOENT: /home/someone'));
    const text = await (await ask(path('path=$.n'))).text();
    expect(linesOf(text)).toMatchObject([{ kind: 'error', error: { code: 'internal' } }]);
    expect(text).not.toContain('/home');
  });
});

/** Long enough that the end of a request comes in the middle. */
async function longStore(count: number): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('memory') });
  for (let n = 1; n <= count; n++) await store.save({ task: 'long', id: `c${n}`, text: `{"n":${n}}` });
  return store;
}

describe('the end of a request', () => {
  it('ends the reading', async () => {
    const store = await longStore(400);
    const { stores, ...server } = await testServer();
    await stores.close(storeId('memory'));
    stores.add(store);
    let read = 0;
    const state = store.state.bind(store);
    store.state = async (ref) => {
      read++;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return state(ref);
    };
    try {
      const stop = new AbortController();
      const answer = await fetch(`${server.url}${path('path=$.n', 'long')}`, {
        headers: { authorization: `Bearer ${server.token}` },
        signal: stop.signal,
      });
      const reader = answer.body?.getReader();
      let text = '';
      while (!text.includes('"kind":"changed"')) {
        const piece = await reader?.read();
        expect(piece?.done).toBe(false);
        text += new TextDecoder().decode(piece?.value);
      }
      stop.abort();
      await new Promise((resolve) => setTimeout(resolve, 150));
      const atEnd = read;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(read).toBe(atEnd);
      expect(read).toBeLessThan(400);
    } finally {
      await server.close();
    }
  });
});
