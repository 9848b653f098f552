import { expect, it, vi } from 'vitest';
import { api } from './api.ts';

it('tells how a state was made in the words of its system', async () => {
  const derived = 'the items that the model sees after this line, “as stored”';
  const headers = { etag: '"a1"', 'x-state-derived': encodeURIComponent(derived) };
  vi.stubGlobal('fetch', async () => new Response('{"n":1.0}', { headers }));
  const state = await api.state({ store: 's', task: 't', id: 'c' });
  expect(state).toEqual({ text: '{"n":1.0}', hash: 'a1', derived });
  vi.unstubAllGlobals();
});
