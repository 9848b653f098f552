// @vitest-environment jsdom
import { InspectorError, planList, type ChangeRequest, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planFor, receiptFor, ref } from '../change/testing/plans.ts';
import { PruneDialog } from './PruneDialog.tsx';
import type { TaskPlace } from '../../lib/address.ts';

beforeEach(() => {
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

/** As many go as days are asked for. */
function planOf(request: ChangeRequest): PlanView {
  if (request.kind !== 'prune') throw new Error('a prune was expected');
  const goes = request.policy.olderThanDays ?? 0;
  return planFor(request, {
    id: `plan-${request.task}-${goes}`,
    task: request.task,
    removes: planList(Array.from({ length: goes }, (_, n) => ({ ref: ref(`c${n}`), reason: 'old' }))),
    protected: planList([{ ref: ref('c10'), reason: 'the latest' }]),
    leftOut: { skipped: 0, others: 2 },
  });
}

function open(targets: readonly TaskPlace[] = [{ store: 'demo', task: 'run' }], failing?: string) {
  const calls = {
    plan: vi.fn(async (_store: string, request: ChangeRequest) => planOf(request)),
    apply: vi.fn(async (id: string): Promise<Receipt> => {
      if (id === failing) throw new InspectorError('busy', 'Another process holds the store.');
      return receiptFor({ kind: 'prune', task: 'run', policy: {} }, { id: `receipt of ${id}` });
    }),
  };
  const onDone = vi.fn();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <PruneDialog calls={calls} targets={targets} stores={[]} onClose={() => undefined} onDone={onDone} />
    </QueryClientProvider>,
  );
  return { calls, onDone };
}

const phase = () => screen.getByTestId('prune-dialog').getAttribute('data-phase');
const ready = () => waitFor(() => expect(phase()).toBe('ready'));
const confirm = () => fireEvent.keyDown(document, { key: 'Enter', ctrlKey: true });

describe('the dialog', () => {
  it('previews 30 days at once, and applies exactly that plan on Ctrl+Enter', async () => {
    const { calls, onDone } = open();
    confirm();
    await ready();
    expect(calls.apply).not.toHaveBeenCalled();
    expect(screen.getByTestId('prune-account').textContent).toContain('30');
    expect(screen.getByTestId('confirm-change').textContent).toContain('Delete 30');
    fireEvent.keyDown(screen.getByTestId('confirm-change'), { key: 'Enter' });
    confirm();
    confirm();
    await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
    expect(calls.apply.mock.calls).toEqual([['plan-run-30']]);
  });

  it('plans again while the policy is typed, and confirms nothing in between', async () => {
    const { calls } = open();
    await ready();
    fireEvent.change(screen.getByTestId('older-than'), { target: { value: '7' } });
    expect(phase()).toBe('computing');
    confirm();
    expect(calls.apply).not.toHaveBeenCalled();
    await ready();
    expect(screen.getByTestId('confirm-change').textContent).toContain('Delete 7');
  });

  it('says why fields mean nothing, and asks the server nothing then', async () => {
    const { calls } = open();
    await ready();
    fireEvent.change(screen.getByTestId('older-than'), { target: { value: '' } });
    await screen.findByText(/Set at least one/);
    confirm();
    expect([calls.plan.mock.calls.length, calls.apply.mock.calls.length]).toEqual([1, 0]);
  });

  it('confirms nothing where nothing goes', async () => {
    const { calls } = open();
    await ready();
    fireEvent.change(screen.getByTestId('older-than'), { target: { value: '0' } });
    await waitFor(() => expect(screen.getByTestId('prune-dialog').textContent).toContain('No checkpoints match'));
    await ready();
    confirm();
    expect(calls.apply).not.toHaveBeenCalled();
  });

  it('stops several tasks at the first that fails, and says what is done', async () => {
    const targets = ['a', 'b', 'c'].map((task) => ({ store: 'demo', task }));
    const { calls, onDone } = open(targets, 'plan-b-30');
    await ready();
    expect(screen.getAllByRole('button', { pressed: false })).toHaveLength(2);
    confirm();
    await waitFor(() => expect(phase()).toBe('failed'));
    expect(calls.apply.mock.calls).toEqual([['plan-a-30'], ['plan-b-30']]);
    expect(screen.getByRole('alert').textContent).toContain('1 task before it is done; Activity has the receipts.');
    expect(onDone).not.toHaveBeenCalled();
  });
});
