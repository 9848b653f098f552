import { InspectorError } from '@checkpoint-inspector/core';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { readLargeBodies } from './large-body.ts';

const LARGE = 1_100_000;

function appReadBy(json: (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>) {
  const app = new Hono();
  app.onError((error, c) => c.text(error.message, 500));
  app.use(readLargeBodies({ json }));
  app.post('/', async (c) => {
    try {
      return c.json(await c.req.json());
    } catch (error) {
      return c.text(error instanceof SyntaxError ? 'not JSON' : 'another error', 400);
    }
  });
  return async (body: string): Promise<string> => {
    const headers = { 'content-length': String(Buffer.byteLength(body)) };
    return (await app.request('/', { method: 'POST', body, headers })).text();
  };
}

function readerOf(): { readonly sizes: number[]; readonly read: (bytes: Uint8Array) => Promise<unknown> } {
  const sizes: number[] = [];
  return {
    sizes,
    read: async (bytes) => {
      sizes.push(bytes.length);
      try {
        return JSON.parse(Buffer.from(bytes).toString());
      } catch (cause) {
        throw new InspectorError('invalid_input', 'no', { cause });
      }
    },
  };
}

it('has a large body read elsewhere, and a small one not', async () => {
  const { sizes, read } = readerOf();
  const post = appReadBy(read);
  expect(await post('{"a":1}')).toBe('{"a":1}');
  expect(sizes).toEqual([]);
  const large = JSON.stringify({ text: `ü${'x'.repeat(LARGE)}` });
  expect(await post(large)).toBe(large);
  expect(sizes).toEqual([Buffer.byteLength(large)]);
});

it('leaves it to the route to say that a body is not JSON', async () => {
  expect(await appReadBy(readerOf().read)('{'.repeat(LARGE))).toBe('not JSON');
});

it('tells when it could not be read for another reason', async () => {
  const post = appReadBy(async () => {
    throw new InspectorError('busy', 'The thread stopped.');
  });
  expect(await post(`"${'x'.repeat(LARGE)}"`)).toBe('The thread stopped.');
});
