// @vitest-environment jsdom
import { InspectorError } from '@checkpoint-inspector/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { authorisedFetch } from './http.ts';
import { keepToken, readToken } from './token.ts';

const answer = (response: Response | Error) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(() => (response instanceof Error ? Promise.reject(response) : Promise.resolve(response))),
  );

const failure = async (): Promise<InspectorError> =>
  InspectorError.from(await authorisedFetch('/api/x').catch((error: unknown) => error));

describe('authorisedFetch', () => {
  afterEach(() => vi.unstubAllGlobals());
  it('sends the token', async () => {
    keepToken('secret', 'origin');
    answer(new Response('{}'));
    await authorisedFetch('/api/status');
    const [, init] = vi.mocked(fetch).mock.calls[0] ?? [];
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret');
  });
  it('gives the error of the server, word for word', async () => {
    answer(
      new Response(JSON.stringify({ error: { code: 'head_moved', message: 'm', remedy: 'r', data: { a: 1 } } }), {
        status: 412,
      }),
    );
    expect(await failure()).toMatchObject({ code: 'head_moved', message: 'm', remedy: 'r', data: { a: 1 } });
  });
  it('survives an answer that is not JSON, and an unknown code', async () => {
    answer(new Response('<html>', { status: 502 }));
    expect((await failure()).message).toContain('502');
    answer(new Response(JSON.stringify({ error: { code: 'toString', message: 'm' } }), { status: 500 }));
    expect((await failure()).code).toBe('internal');
  });
  it('says that the server is away', async () => {
    answer(new TypeError('fetch failed'));
    expect((await failure()).data).toEqual({ offline: true });
  });
  it('forgets a refused token, but not one that came meanwhile', async () => {
    keepToken('old', 'origin');
    vi.stubGlobal(
      'fetch',
      vi.fn(() => {
        keepToken('new', 'origin');
        return Promise.resolve(new Response('', { status: 401 }));
      }),
    );
    await failure();
    expect(readToken()).toBe('new');
    answer(new Response('', { status: 401 }));
    await failure();
    expect(readToken()).toBeUndefined();
  });
});
