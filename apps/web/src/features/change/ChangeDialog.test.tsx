// @vitest-environment jsdom
import { InspectorError, planList, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeDialog } from './ChangeDialog.tsx';
import type { PlannedRequest } from './sentences.ts';
import { metaFor, planFor, receiptFor, ref } from './testing/plans.ts';

const restore = { kind: 'restore', ref: ref('c6') } as const;
const info = { label: 'research.db', latestRule: 'highest step, then newest time' };

interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Answers the reads of the dialog: names by id, and a diff with one change. */
function answer(input: RequestInfo | URL): Response {
  const { pathname, searchParams } = new URL(String(input), 'http://localhost');
  const id = searchParams.get('id');
  if (id !== null) return Response.json({ items: [metaFor(id)] });
  if (pathname.endsWith('/tasks')) return Response.json({ items: [], failures: [] });
  if (pathname.endsWith('/diff')) {
    const items = [{ path: '$.status', kind: 'changed', before: '"failed"', after: '"running"' }];
    return Response.json({
      items,
      summary: { added: 0, removed: 0, changed: 1, moved: 0 },
      ignored: [],
      equal: 3,
      ignoreRules: [],
    });
  }
  return Response.json(metaFor(pathname.split('/').at(-1) ?? ''));
}

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn((input: RequestInfo | URL) => Promise.resolve(answer(input))),
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

function open(request: PlannedRequest = restore) {
  const plans: Deferred<PlanView>[] = [];
  const applies: Deferred<Receipt>[] = [];
  const calls = {
    plan: vi.fn(() => {
      plans.push(deferred<PlanView>());
      return plans.at(-1)?.promise ?? Promise.reject(new Error('no plan'));
    }),
    apply: vi.fn(() => {
      applies.push(deferred<Receipt>());
      return applies.at(-1)?.promise ?? Promise.reject(new Error('no receipt'));
    }),
  };
  const onClose = vi.fn();
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ChangeDialog calls={calls} store="demo" info={info} request={request} onClose={onClose} onDone={onDone} />
    </QueryClientProvider>,
  );
  const settle = (work: () => void): Promise<void> => act(async () => work());
  return { plans, applies, calls, onClose, onDone, settle };
}

const phase = (): string | null => screen.getByRole('dialog').getAttribute('data-phase');
const confirm = (): void =>
  void fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Enter', ctrlKey: true });

describe('ChangeDialog', () => {
  it('goes from computing over ready and applying to done', async () => {
    const { plans, applies, calls, onDone, settle } = open();
    expect(phase()).toBe('computing');
    expect(screen.getByTestId('preview-skeleton')).toBeTruthy();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    expect(phase()).toBe('ready');
    await waitFor(() => expect(screen.getByText('Restore #06 to run')).toBeTruthy());
    await waitFor(() => expect(screen.getByTestId('diff-summary').textContent).toBe('+0−0~1↕0'));
    expect(screen.getByText('Rule: highest step, then newest time')).toBeTruthy();
    act(confirm);
    expect(phase()).toBe('applying');
    expect(screen.getByTestId('confirm-change').textContent).toBe('Restoring…');
    const receipt = receiptFor(restore);
    await settle(() => applies[0]?.resolve(receipt));
    expect(onDone).toHaveBeenCalledExactlyOnceWith(receipt);
    expect(calls.apply).toHaveBeenCalledExactlyOnceWith('plan-1');
  });

  it('keeps the name of what is copied into a new task under the same id', async () => {
    const { plans, settle } = open();
    const copy = ref('c6', 'new');
    const writes = planList([{ ref: copy, reason: 'the lines as a new thread' }]);
    const more = { targetTask: 'new', writes, latestBefore: { basis: 'none' }, latestAfter: copy } as const;
    await settle(() => plans[0]?.resolve(planFor(restore, more)));
    await waitFor(() => expect(screen.getByText('Restore #06 to run')).toBeTruthy());
    expect(screen.getByText('none, the task is new')).toBeTruthy();
    expect(screen.getByText('Latest after, in the new task new')).toBeTruthy();
  });

  it('says so where the latest would be restored onto itself, and offers nothing', async () => {
    const { plans, calls, settle } = open();
    await settle(() => plans[0]?.resolve(planFor(restore, { latestBefore: { ref: restore.ref, basis: 'rule' } })));
    await waitFor(() => expect(screen.getByText('#06 is already the latest.')).toBeTruthy());
    expect(screen.queryByTestId('confirm-change')).toBeNull();
    act(confirm);
    expect(calls.apply).not.toHaveBeenCalled();
    expect(document.activeElement?.textContent).toBe('Close');
  });

  it('has Cancel focused, and no bare key confirms', async () => {
    const { plans, calls, settle } = open();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    expect(document.activeElement?.textContent).toBe('Cancel');
    const button = screen.getByTestId('confirm-change');
    for (const key of ['Enter', ' ', 'y', 'r']) {
      expect(fireEvent.keyDown(button, { key })).toBe(key !== 'Enter' && key !== ' ');
      fireEvent.keyDown(document.body, { key });
    }
    expect(phase()).toBe('ready');
    expect(calls.apply).not.toHaveBeenCalled();
  });

  it('applies once, however often it is confirmed', async () => {
    const { plans, calls, settle } = open();
    act(confirm);
    expect(calls.apply).not.toHaveBeenCalled();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    act(() => {
      confirm();
      confirm();
      fireEvent.click(screen.getByTestId('confirm-change'));
    });
    expect(calls.apply).toHaveBeenCalledTimes(1);
  });

  it('on a moved head shows a new preview and asks again', async () => {
    const { plans, applies, calls, settle } = open();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    act(confirm);
    await settle(() => applies[0]?.reject(new InspectorError('head_moved', 'moved')));
    expect(phase()).toBe('computing');
    const fresh = planFor(restore, { id: 'plan-2', latestBefore: { ref: ref('c12'), basis: 'rule' } });
    await settle(() => plans[1]?.resolve(fresh));
    expect(phase()).toBe('conflict');
    await waitFor(() => expect(screen.getByText('Head moved from #10 to #12 after the preview.')).toBeTruthy());
    act(confirm);
    expect(calls.apply).toHaveBeenLastCalledWith('plan-2');
  });

  it('stays open when applying fails and says what was not changed', async () => {
    const { plans, applies, onClose, onDone, settle } = open();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    act(confirm);
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    expect(onClose).not.toHaveBeenCalled();
    await settle(() => applies[0]?.reject(new InspectorError('disk_full', 'The disk is full.')));
    expect(phase()).toBe('failed');
    expect(screen.getByText('Restore failed: The disk is full.')).toBeTruthy();
    expect(screen.getByText('Nothing was changed in the store.')).toBeTruthy();
    expect(screen.queryByTestId('confirm-change')).toBeNull();
    expect(onDone).not.toHaveBeenCalled();
  });

  it('computes a new preview when the old one has expired', async () => {
    const { plans, applies, settle } = open();
    await settle(() => plans[0]?.resolve(planFor(restore)));
    act(confirm);
    await settle(() => applies[0]?.reject(new InspectorError('plan_expired', 'old')));
    await settle(() => plans[1]?.resolve(planFor(restore, { id: 'plan-2' })));
    expect(phase()).toBe('ready');
    expect(screen.getByText('The preview was older than 15 minutes.')).toBeTruthy();
  });

  it('shows the reason of a store that refuses, without a way to confirm', async () => {
    const { plans, settle } = open({ kind: 'delete', refs: [ref('c2')] });
    await settle(() => plans[0]?.reject(new InspectorError('unsupported', 'This store keeps one file for all.')));
    expect(phase()).toBe('refused');
    expect(screen.getByText('This store keeps one file for all.')).toBeTruthy();
    expect(screen.queryByTestId('confirm-change')).toBeNull();
  });

  it('plans a fork again with the id and task that are typed', async () => {
    const { plans, calls, settle } = open({ kind: 'fork', ref: ref('c6') });
    await settle(() => plans[0]?.resolve(planFor({ kind: 'fork', ref: ref('c6') })));
    fireEvent.change(screen.getByLabelText('New id'), { target: { value: ' try-2 ' } });
    await waitFor(
      () => expect(calls.plan).toHaveBeenLastCalledWith('demo', { kind: 'fork', ref: ref('c6'), id: 'try-2' }),
      { timeout: 2000 },
    );
    expect(phase()).toBe('computing');
  });
});
