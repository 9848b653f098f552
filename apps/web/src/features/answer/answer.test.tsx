// @vitest-environment jsdom
import type { CheckpointMeta, Explanation, StepRef } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../lib/queries.ts';
import { createAppRouter } from '../../routes/router.tsx';
import { ChangeDialogsProvider } from '../change/index.tsx';
import { askShouldBe } from '../path-history/ask.ts';
import { ShouldBe } from '../path-history/ShouldBe.tsx';
import type { Workbench } from '../workbench/use-workbench.ts';
import { AnswerCard } from './AnswerCard.tsx';
import { AnswerStrip } from './AnswerStrip.tsx';

const step = (seq: number, description: string): StepRef => ({ task: 'run', id: `c${seq}`, seq, description });
const FIGURE = '$.revenue.CompanyB';
const write = (seq: number, path: string, before: string, after: string) => ({
  ref: step(seq, `fetch_${seq}`),
  path,
  before,
  after,
});

const failed: Explanation = {
  task: 'run',
  outcome: 'failed',
  kind: 'threw',
  error: { message: 'CompanyB is out of range', ref: { task: 'run', id: 'c10' } },
  failingStep: step(10, 'compile'),
  lastGood: { ...step(9, 'rank'), back: 1 },
  writes: [
    write(9, '$.rank', '1', '2'),
    {
      ...write(7, FIGURE, '4.2', '4200'),
      more: 2,
      origin: { from: 'tool', name: 'search_prices', ref: step(6, 'search') },
    },
    write(5, '$.b', '1', '2'),
    write(3, '$.c', '1', '2'),
  ],
  named: [
    { text: 'CompanyB', path: FIGURE, ref: step(7, 'fetch_7'), before: '4.2', after: '4200' },
    { text: 'margin' },
  ],
  unusual: [],
  examined: { n: 11, of: 11, gaps: [] },
};

const meta = {
  store: 'db',
  taskId: 'run',
  id: 'c10',
  seq: 10,
  status: 'failed',
  isLatest: true,
  description: 'compile',
  revision: 'r',
} as unknown as CheckpointMeta;

const asked: URL[] = [];
let answers: readonly unknown[] = [];

/** The page's own server: each explanation in turn, the last one again and again. */
function answer(input: RequestInfo | URL): Response {
  const url = new URL(String(input), 'http://localhost');
  if (url.pathname.endsWith('/explain')) {
    asked.push(url);
    return Response.json(answers[Math.min(asked.length, answers.length) - 1]);
  }
  if (url.pathname.endsWith('/status')) return Response.json({ readOnly: false, demo: false });
  if (url.pathname.endsWith('/stores')) return Response.json({ items: [info] });
  return Response.json({ items: [] });
}

const info = { id: 'db', label: 'db', system: 'native', capabilities: { restore: true, fork: true, edit: true } };

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => answer(input));
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
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

function show(children: ReactNode): void {
  const client = createQueryClient();
  const router = createAppRouter(client, createMemoryHistory({ initialEntries: ['/tasks'] }));
  render(
    <RouterContextProvider router={router}>
      <QueryClientProvider client={client}>
        <ChangeDialogsProvider>{children}</ChangeDialogsProvider>
      </QueryClientProvider>
    </RouterContextProvider>,
  );
}

const card = (): void => show(<AnswerCard at={{ store: 'db', task: 'run', id: 'c10' }} />);

function strip(): ReturnType<typeof vi.fn> {
  const change = vi.fn();
  const rows = new Map([9, 6].map((seq) => [`c${seq}`, { seq, isLatest: false }]));
  const tree = { nodes: [{ ref: { task: 'run', id: 'c6' }, row: rows.get('c6') }] };
  const history = { rows: [], tree, nodeOf: ({ id }: { id: string }) => ({ row: rows.get(id), parent: 0 }) };
  const bench = { store: 'db', task: 'run', info, search: {}, history, change } as unknown as Workbench;
  show(<AnswerStrip bench={bench} meta={meta} />);
  return change;
}

const searchOf = (link: HTMLElement): URLSearchParams =>
  new URL(link.getAttribute('href') ?? '', 'http://localhost').searchParams;

describe('the answer card', () => {
  it('lists writes as stored, each a link to its change, with the origin of its value as another', async () => {
    answers = [failed];
    card();
    const writes = await screen.findAllByTestId('write');
    expect(writes.map((line) => line.dataset['path'])).toEqual(['$.rank', FIGURE, '$.b']);
    const [, line] = writes;
    const [open, origin] = within(line as HTMLElement).getAllByRole('link');
    expect(line?.textContent).toContain('4.2 → 4200');
    expect(line?.textContent).toContain('+2 more');
    expect(Object.fromEntries(searchOf(open as HTMLElement))).toMatchObject({
      cp: 'c7',
      view: 'changes',
      path: FIGURE,
    });
    expect(within(line as HTMLElement).getByTestId('origin').textContent).toContain('search_prices');
    expect(searchOf(origin as HTMLElement).get('cp')).toBe('c6');
    // The rest is behind a button that stays, so that the focus does too.
    const more = within(screen.getByTestId('writes')).getByRole('button');
    more.focus();
    fireEvent.click(more);
    expect(screen.getAllByTestId('write')).toHaveLength(4);
    expect(document.activeElement).toBe(more);
  });

  it('says who wrote what the error names, and what was never written', async () => {
    answers = [failed];
    card();
    const [first, second] = await screen.findAllByTestId('named');
    expect(searchOf(within(first as HTMLElement).getByRole('link')).get('cp')).toBe('c7');
    expect(second?.textContent).toContain('never written in this run');
    expect(within(second as HTMLElement).queryByRole('link')).toBeNull();
  });

  it('leaves the writes folded where a service failed, and has nothing for a run that went well', async () => {
    answers = [{ ...failed, kind: 'outside' }];
    card();
    await screen.findByTestId('writes');
    expect(screen.queryAllByTestId('write')).toEqual([]);
    cleanup();
    const { error: _, ...well } = failed;
    answers = [{ ...well, outcome: 'completed' }];
    asked.length = 0;
    card();
    await waitFor(() => expect(asked.length).toBeGreaterThan(0));
    await waitFor(() => expect(screen.queryByTestId('answer-card')).toBeNull());
  });

  it('asks again while a part is known, and says how far it is', async () => {
    const partial = { ...failed, writes: [], examined: { n: 340, of: 10_000, gaps: [], partial: true } };
    answers = [partial, failed];
    card();
    await screen.findByText('Looked at 340 of 10,000 steps.');
    expect(asked[0]?.searchParams.get('known')).toBe('true');
    await screen.findAllByTestId('write', {}, { timeout: 3000 });
    expect(screen.queryByText(/Looked at/)).toBeNull();
  });

  it('offers the good run to compare with, and names the call that was never made', async () => {
    const missing = [{ call: 'convert', args: '{"to":"EUR"}', ref: { ...step(4, 'convert'), task: 'good' } }];
    answers = [
      {
        ...failed,
        against: { task: 'good', end: { ...step(8, 'end'), task: 'good' }, chosen: 'name', differs: [], missing },
      },
    ];
    card();
    const link = await screen.findByTestId('against-compare');
    expect(Object.fromEntries(searchOf(link))).toEqual({ a: 'db/good/c8', b: 'db/run/c10' });
    expect(screen.getByTestId('missing-call').textContent).toContain('convert');
  });
});

describe('the ways back', () => {
  const unusual = [write(7, FIGURE, '4.2', '4200'), write(2, '$.x', '1', '"1"')].map((one) => ({
    ...one,
    reason: 'a text among numbers',
  }));

  it('are named with what they cost', async () => {
    answers = [{ ...failed, lastGood: { ...step(9, 'rank'), back: 8 } }];
    strip();
    const button = await screen.findByTestId('answer-next');
    expect(button.textContent).toContain('Restore #09');
    expect(button.textContent).toContain('8 steps would be redone');
  });

  it('are a fork where the step that failed was not saved', async () => {
    const failingStep = { ...step(10, 'compile'), before: true } as const;
    answers = [{ ...failed, failingStep, lastGood: { ...step(10, 'compile'), back: 0 } }];
    strip();
    expect((await screen.findByTestId('answer-next')).textContent).toContain('Fork #10');
  });

  it('stay what they are, whatever is unusual', async () => {
    const seen: unknown[] = [];
    for (const found of [[], unusual, unusual.toReversed()]) {
      asked.length = 0;
      answers = [{ ...failed, unusual: found }];
      const change = strip();
      const next = await screen.findByTestId('answer-next');
      fireEvent.click(screen.getByTestId('answer-compare'));
      seen.push([next.className, next.textContent, change.mock.calls]);
      expect(screen.queryAllByTestId('unusual')).toHaveLength(found.length);
      for (const line of screen.queryAllByTestId('unusual'))
        expect(within(line).getByRole('button', { name: 'Restore before this' }).className).not.toContain('primary');
      cleanup();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    expect(JSON.stringify(seen[0])).toContain('"base":"c9"');
    expect(JSON.stringify(seen[0])).not.toContain(FIGURE);
  });
});

describe('what a value should be', () => {
  const end = { store: 'db', task: 'run', id: 'c10' };
  const check = { path: FIGURE, expected: '4.2', holds: false, firstBroken: step(7, 'fetch_b'), found: '4200' };
  const form = (value: string | undefined): void =>
    show(<ShouldBe where={{ store: 'db' }} end={end} path={FIGURE} value={value} />);
  const field = async (): Promise<HTMLInputElement> => screen.findByTestId('should-be-value');

  it('is asked from the value in view, and answered with the step that broke it', async () => {
    answers = [{ ...failed, check }];
    form('4200');
    fireEvent.click(screen.getByRole('button', { name: /This should be/ }));
    const input = await field();
    expect(input.value).toBe('4200');
    await waitFor(() => expect(document.activeElement).toBe(input));
    fireEvent.change(input, { target: { value: '4.2' } });
    fireEvent.submit(input);
    const link = await screen.findByTestId('first-broken');
    expect(asked[0]?.searchParams.get('expect')).toBe(`${FIGURE}=4.2`);
    expect(Object.fromEntries(searchOf(link))).toMatchObject({ cp: 'c7', view: 'changes', path: FIGURE });
  });

  it('closes with Escape and gives the focus back', async () => {
    form('4200');
    const button = screen.getByRole('button', { name: /This should be/ });
    button.focus();
    act(() => askShouldBe(FIGURE));
    const input = await field();
    await waitFor(() => expect(document.activeElement).toBe(input));
    fireEvent.keyDown(input, { key: 'Escape' });
    expect(screen.queryByTestId('should-be-value')).toBeNull();
    expect(document.activeElement).toBe(button);
  });

  it('is never asked of another value, without JSON, or of a secret', async () => {
    form('"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"');
    act(() => askShouldBe('$.other'));
    expect(screen.queryByTestId('should-be-value')).toBeNull();
    act(() => askShouldBe(FIGURE));
    const input = await field();
    expect(input.value).toBe('');
    for (const value of ['{', '"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"']) {
      fireEvent.change(input, { target: { value } });
      fireEvent.submit(input);
      await act(async () => new Promise((resolve) => setTimeout(resolve, 20)));
      expect(screen.getByTestId('should-be-answer').textContent).not.toBe('');
    }
    expect(asked).toEqual([]);
  });
});
