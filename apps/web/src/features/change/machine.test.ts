import { type ErrorCode, InspectorError } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { canClose, canConfirm, type DialogEvent, type DialogState, OPENED, step } from './use-change.ts';
import { planFor, receiptFor, ref } from './testing/plans.ts';

const request = { kind: 'restore', ref: ref('c6') } as const;
const plan = planFor(request);
const receipt = receiptFor(request);
const run = (...events: DialogEvent[]): DialogState => events.reduce(step, OPENED);
const failed = (code: ErrorCode): DialogEvent => ({
  type: 'apply-failed',
  error: new InspectorError(code, `it is ${code}`),
});
const planned: DialogEvent = { type: 'planned', plan };
const confirmed: DialogEvent = { type: 'confirmed' };

describe('the dialog', () => {
  it('computes, shows, applies and is done', () => {
    expect(run().name).toBe('computing');
    expect(run(planned)).toEqual({ name: 'ready', plan });
    expect(run(planned, confirmed).name).toBe('applying');
    expect(run(planned, confirmed, { type: 'applied', receipt })).toEqual({ name: 'done', receipt });
  });

  it('confirms nothing but a preview on the screen', () => {
    expect(run(confirmed).name).toBe('computing');
    expect(run(planned, confirmed, confirmed).name).toBe('applying');
    expect(canConfirm(run({ type: 'plan-failed', error: new InspectorError('unsupported', 'no') }))).toBe(false);
  });

  it.each(['head_moved', 'changed'] as const)('on %s asks for a new preview and a new confirmation', (code) => {
    const moved = run(planned, confirmed, failed(code));
    expect(moved).toMatchObject({ name: 'computing', because: { kind: 'moved', before: plan.latestBefore } });
    const fresh = planFor(request, { id: 'plan-2', latestBefore: { ref: ref('c12'), basis: 'rule' } });
    const conflict = step(moved, { type: 'planned', plan: fresh });
    expect(conflict).toMatchObject({ name: 'conflict', before: { ref: ref('c10') }, plan: { id: 'plan-2' } });
    expect(step(conflict, confirmed)).toEqual({ name: 'applying', plan: fresh });
  });

  it('replaces an expired preview and reports it', () => {
    expect(run(planned, confirmed, failed('plan_expired'), planned)).toEqual({ name: 'ready', plan, renewed: true });
  });

  it('stays open with the plan and the reason when applying fails', () => {
    const state = run(planned, confirmed, failed('disk_full'));
    expect(state).toMatchObject({ name: 'failed', plan: { id: 'plan-1' }, error: { code: 'disk_full' } });
    expect(canConfirm(state)).toBe(false);
    expect(step(state, { type: 'again' })).toEqual(OPENED);
  });

  it('cannot be closed or started again while it applies', () => {
    const applying = run(planned, confirmed);
    expect(canClose(applying)).toBe(false);
    expect(step(applying, { type: 'again' })).toBe(applying);
    expect(canClose(run(planned))).toBe(true);
  });

  it('takes no answer that comes too late', () => {
    expect(step(run(planned), { type: 'applied', receipt }).name).toBe('ready');
    expect(step(run(planned, confirmed), planned).name).toBe('applying');
  });
});
