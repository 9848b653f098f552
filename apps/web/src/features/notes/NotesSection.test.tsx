// @vitest-environment jsdom
import { type CheckpointMeta, InspectorError, storeId } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { annotationsQuery, createQueryClient } from '../../lib/queries.ts';
import { NotesSection } from './NotesSection.tsx';

const meta: CheckpointMeta = {
  store: storeId('runs'),
  id: 'cp-1',
  taskId: 't',
  lineage: 'none',
  seq: 1,
  timeBasis: 'none',
  status: 'completed',
  labels: [],
  sizeBytes: 1,
  isLatest: true,
};

/** What is kept on the server; absent: it can't be read. */
let kept: { note?: string } | undefined;
const written: unknown[] = [];

function answer(input: RequestInfo | URL, init: RequestInit = {}): Response {
  const { pathname } = new URL(String(input), 'http://localhost');
  if (pathname.endsWith('/api/status')) return Response.json({ readOnly: false });
  const annotation = { ref: { task: 't', id: 'cp-1' }, labels: [], ...kept };
  if (init.method === 'PUT') {
    const sent = JSON.parse(String(init.body)) as { note: string };
    written.push(sent);
    kept = sent;
    return Response.json({ ...annotation, ...sent });
  }
  if (kept === undefined) return Response.json(new InspectorError('internal', 'No journal.').toWire(), { status: 500 });
  return Response.json({ items: [annotation] });
}

beforeEach(() => {
  written.length = 0;
  Element.prototype.scrollIntoView = vi.fn(); // jsdom lays nothing out
  vi.stubGlobal(
    'fetch',
    vi.fn((input: RequestInfo | URL, init?: RequestInit) => Promise.resolve(answer(input, init))),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function draw() {
  const client = createQueryClient();
  const onWriting = vi.fn();
  render(
    <QueryClientProvider client={client}>
      <NotesSection meta={meta} onWriting={onWriting} />
    </QueryClientProvider>,
  );
  const readAgain = () => client.invalidateQueries({ queryKey: annotationsQuery('runs', 't').queryKey });
  return { onWriting, readAgain };
}

const field = () => screen.getByLabelText<HTMLTextAreaElement>('Note');
const type = (text: string): void => void fireEvent.change(field(), { target: { value: text } });

it('offers no new note until it is known that there is none', async () => {
  kept = undefined;
  draw();
  expect(screen.queryByText('Add a note')).toBeNull();
  await screen.findByText('No journal.');
  expect(screen.queryByText('Add a note')).toBeNull();
  kept = { note: 'the last good one' };
  fireEvent.click(screen.getByText('Try again'));
  expect((await screen.findByTestId('note-text')).textContent).toBe('the last good one');
});

it('tells its page that a person has begun to write', async () => {
  kept = {};
  const { onWriting } = draw();
  fireEvent.click(await screen.findByText('Add a note'));
  expect(onWriting).toHaveBeenCalledOnce();
  fireEvent.change(screen.getByLabelText('Add a label'), { target: { value: 'good' } });
  expect(onWriting).toHaveBeenCalledTimes(2);
});

it('does not write over a note that was changed elsewhere meanwhile, unless it is told to', async () => {
  kept = {};
  const { readAgain } = draw();
  fireEvent.click(await screen.findByText('Add a note'));
  type('mine');
  kept = { note: 'theirs' };
  await readAgain();
  await screen.findByText('theirs');
  fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true });
  fireEvent.blur(field());
  expect(written).toEqual([]);
  fireEvent.click(screen.getByText('Replace it with mine'));
  await waitFor(() => expect(screen.getByTestId('note-text').textContent).toBe('mine'));
  expect(written).toEqual([{ note: 'mine' }]);
});

it('leaves the other note where one’s own is discarded', async () => {
  kept = { note: 'first' };
  const { readAgain } = draw();
  fireEvent.click(await screen.findByText('Edit the note'));
  type('mine');
  kept = { note: 'theirs' };
  await readAgain();
  fireEvent.click(await screen.findByText('Discard mine'));
  expect(screen.getByTestId('note-text').textContent).toBe('theirs');
  expect(written).toEqual([]);
});
