import type { Task } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { InboxItem, Outline } from '../../lib/api.ts';
import { taskFact } from './facts.ts';

const task = (more: Partial<Task> = {}): Task =>
  ({
    store: 's',
    id: 'a',
    title: 'a',
    status: 'running',
    checkpointCount: 6,
    unreadable: 0,
    system: 'native',
    ...more,
  }) as unknown as Task;
const outline = (more: Partial<Outline> = {}): Outline =>
  ({ store: 's', task: 'a', steps: 6, marks: [], lanes: 1, ...more }) as Outline;
const now = Date.parse('2026-01-01T12:00:00Z');

describe('the fact of a task', () => {
  it('is its error, with the step and without repeating it', () => {
    const failed = task({ status: 'failed', lastError: 'API timeout after 30 s' });
    expect(taskFact(failed, outline({ step: 10, totalSteps: 10, name: 'compile' }), undefined, now)).toEqual({
      text: 'API timeout after 30 s',
      about: 'compile, step 10 of 10',
    });
    expect(taskFact(failed, outline({ name: 'fetch: API timeout' }), undefined, now).about).toBe('fetch');
    expect(taskFact(failed, outline({ name: 'agent; next: tools' }), undefined, now).about).toBe('agent; next: tools');
    expect(taskFact(failed, outline({ name: 'API timeout after 30 s' }), undefined, now).about).toBeUndefined();
  });

  it('has the words of the error list and of the answer, once they are known', () => {
    const failed = task({ status: 'failed', lastError: 'compile: totals differ' });
    const known = outline({ name: 'compile: totals differ', error: 'totals differ from the invoice' });
    expect(taskFact(failed, known, undefined, now)).toEqual({
      text: 'totals differ from the invoice',
      about: 'compile',
    });
  });

  it('says where a task failed whose system stores no message', () => {
    const failed = task({ status: 'failed' });
    expect(taskFact(failed, outline({ name: 'decomposition' }), undefined, now).text).toBe(
      'Failed in decomposition, no message stored',
    );
    expect(taskFact(failed, undefined, undefined, now).text).toBe('Failed, no message stored');
  });

  it('is the question in quotation marks, and who asked it when', () => {
    const waiting = {
      since: '2026-01-01T11:29:00Z',
      requests: [{ from: 'approver', text: '{"question":"Approve 18,400 EUR?"}' }],
    } as unknown as InboxItem;
    expect(taskFact(task({ status: 'interrupted' }), undefined, waiting, now)).toEqual({
      text: '“Approve 18,400 EUR?”',
      about: 'asked by approver, 31 min ago',
    });
  });

  it('else is the step and its top change, never a count of checkpoints', () => {
    expect(
      taskFact(task(), outline({ name: 'draft', change: 'budget 0.62 → 0.63', step: 58, lanes: 3 }), undefined, now),
    ).toEqual({
      text: 'draft: budget 0.62 → 0.63',
      about: 'step 58, 3 lanes',
    });
    const textOf = (name: string): string =>
      taskFact(task(), outline({ name, change: 'n 1 → 2' }), undefined, now).text;
    expect(textOf('Summed it up.')).toBe('Summed it up: n 1 → 2');
    expect(textOf('Is it done?')).toBe('Is it done? n 1 → 2');
    expect(textOf('Waiting...')).toBe('Waiting... n 1 → 2');
    expect(taskFact(task(), undefined, undefined, now).text).toBe('');
    expect(taskFact(task(), outline(), undefined, now).text).toBe('No description is stored');
  });
});
