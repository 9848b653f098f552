// @vitest-environment jsdom
import { InspectorError } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueryClient, checkpointsQuery } from '../../lib/queries.ts';
import { UnlockDialog } from './UnlockDialog.tsx';

const KEY = 'open-sesame';
const info = { id: 'agents', label: '.kaizen', system: 'kaizen', notes: ['1 locked: unlock the store.'] };

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const requests: Request[] = [];

function answer(input: RequestInfo | URL, init: RequestInit = {}): Response {
  const path = new URL(String(input), 'http://localhost').pathname;
  requests.push({ method: init.method ?? 'GET', path, body: typeof init.body === 'string' ? init.body : undefined });
  if (path.endsWith('/stores')) return Response.json({ items: [info] });
  if (init.body === JSON.stringify({ key: KEY })) return Response.json({ ...info, notes: ['1 encrypted'] });
  return Response.json(new InspectorError('wrong_key', 'The key opens none of the 3 files.').toWire(), { status: 403 });
}

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal(
    'fetch',
    vi.fn((input: RequestInfo | URL, init?: RequestInit) => Promise.resolve(answer(input, init))),
  );
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open() {
  const client = createQueryClient();
  const spies = { onClose: vi.fn(), onUnlocked: vi.fn() };
  const page = render(
    <QueryClientProvider client={client}>
      <UnlockDialog store="agents" {...spies} />
    </QueryClientProvider>,
  );
  const field = screen.getByLabelText<HTMLInputElement>('Key');
  const type = (key: string): void => void fireEvent.change(field, { target: { value: key } });
  const submit = (): void => void fireEvent.submit(field);
  return { client, page, field, type, submit, ...spies };
}

const posts = (): Request[] => requests.filter(({ method }) => method === 'POST');

describe('the unlock dialog', () => {
  it('has the focus in a password field that browsers are asked not to keep', async () => {
    const { field } = open();
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.type).toBe('password');
    expect(field.autocomplete).toBe('off');
    expect(field.name).toBe('');
    expect(await screen.findByText('Unlock .kaizen for this session')).toBeTruthy();
  });

  it('sends the key once in the body, closes, and reads the store again', async () => {
    const { client, type, submit, onClose, onUnlocked } = open();
    client.setQueryData(checkpointsQuery('agents', 'a').queryKey, { pages: [], pageParams: [] });
    client.setQueryData(checkpointsQuery('other', 'a').queryKey, { pages: [], pageParams: [] });
    type(KEY);
    submit();
    submit();
    await waitFor(() => expect(onUnlocked).toHaveBeenCalledOnce());
    expect(onClose).toHaveBeenCalledOnce();
    expect(posts()).toEqual([
      { method: 'POST', path: '/api/stores/agents/unlock', body: JSON.stringify({ key: KEY }) },
    ]);
    expect(client.getQueryState(checkpointsQuery('agents', 'a').queryKey)?.isInvalidated).toBe(true);
    expect(client.getQueryState(checkpointsQuery('other', 'a').queryKey)?.isInvalidated).toBe(false);
  });

  it('stays open with a wrong key and reports it', async () => {
    const { type, submit, onClose, field } = open();
    type('nope');
    submit();
    const alert = await screen.findByTestId('unlock-error');
    expect(alert.textContent).toContain('The key opens none of the 3 files.');
    expect(alert.dataset['code']).toBe('wrong_key');
    expect(onClose).not.toHaveBeenCalled();
    type(KEY);
    expect(field.value).toBe(KEY);
    submit();
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });

  it('gives the focus back to what opened it', async () => {
    const opener = document.body.appendChild(document.createElement('button'));
    opener.focus();
    const { page, field } = open();
    await waitFor(() => expect(document.activeElement).toBe(field));
    page.unmount();
    await waitFor(() => expect(document.activeElement).toBe(opener));
    opener.remove();
  });

  it('asks nothing without a key', () => {
    const { submit } = open();
    submit();
    fireEvent.click(screen.getByRole('button', { name: 'Unlock' }));
    expect(posts()).toEqual([]);
  });

  it('leaves the key nowhere behind', async () => {
    const { client, page, type, submit, onUnlocked } = open();
    type(KEY);
    submit();
    await waitFor(() => expect(onUnlocked).toHaveBeenCalled());
    page.unmount();
    const kept = [
      JSON.stringify(
        client
          .getQueryCache()
          .getAll()
          .map(({ queryKey, state }) => [queryKey, state.data]),
      ),
      JSON.stringify(
        client
          .getMutationCache()
          .getAll()
          .map(({ state }) => state),
      ),
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      location.href,
      document.documentElement.outerHTML,
    ];
    expect(kept.filter((text) => text.includes(KEY))).toEqual([]);
    const { field } = open();
    expect(field.value).toBe('');
  });
});
