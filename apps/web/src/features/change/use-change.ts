/** Runs the dialog's states against the server: previews, applies, previews again. */
import {
  type ChangeRequest,
  InspectorError,
  type Latest,
  type PlanView,
  type Receipt,
} from '@checkpoint-inspector/core';
import { useCallback, useEffect, useReducer, useRef } from 'react';

/** The two calls a change needs; `api` of lib/api.ts has them. */
export interface ChangeCalls {
  plan(store: string, request: ChangeRequest): Promise<PlanView>;
  apply(planId: string): Promise<Receipt>;
}

/** `confirm` applies the preview on the screen and does nothing in any other state; `again` asks for a new one. */
export function useChange(
  calls: ChangeCalls,
  store: string,
  request: ChangeRequest,
  onDone: (receipt: Receipt) => void,
) {
  const [state, send] = useReducer(step, OPENED);
  const busy = useRef(false);
  const wanted = JSON.stringify(request);

  const planned = useRef(wanted);
  useEffect(() => {
    if (planned.current === wanted) return;
    planned.current = wanted;
    send({ type: 'again' });
  }, [wanted]);

  useEffect(() => {
    if (state.name !== 'computing') return undefined;
    let stale = false;
    // The request as text is the dependency: a new object with the same content is not a new request.
    calls.plan(store, JSON.parse(wanted) as ChangeRequest).then(
      (plan) => stale || send({ type: 'planned', plan }),
      (error: unknown) => stale || send({ type: 'plan-failed', error: InspectorError.from(error) }),
    );
    return () => {
      stale = true;
    };
  }, [state, calls, store, wanted]);

  const confirm = useCallback(() => {
    // Other input, and its preview not begun yet: the old one is not what is asked for any longer.
    if (!canConfirm(state) || busy.current || planned.current !== wanted) return;
    busy.current = true;
    send({ type: 'confirmed' });
    calls
      .apply(state.plan.id)
      .then(
        (receipt) => {
          send({ type: 'applied', receipt });
          onDone(receipt);
        },
        (error: unknown) => send({ type: 'apply-failed', error: InspectorError.from(error) }),
      )
      .finally(() => {
        busy.current = false;
      });
  }, [state, calls, onDone, wanted]);

  return { state, confirm, again: useCallback(() => send({ type: 'again' }), []) };
}

// The states of a change dialog. Nothing here talks to a server: the hook in
// `use-change.ts` feeds it with answers.

/** Why a new preview is being computed. */
type Because =
  | { readonly kind: 'opened' }
  /** The head or the checkpoint changed after the preview whose latest is kept here. */
  | { readonly kind: 'moved'; readonly before: Latest; readonly message: string }
  | { readonly kind: 'expired' };

export type DialogState =
  | { readonly name: 'computing'; readonly because: Because }
  /** The store says no, or the preview failed: nothing can be confirmed. */
  | { readonly name: 'refused'; readonly error: InspectorError }
  | { readonly name: 'ready'; readonly plan: PlanView; readonly renewed?: true }
  | { readonly name: 'conflict'; readonly plan: PlanView; readonly before: Latest; readonly message: string }
  | { readonly name: 'applying'; readonly plan: PlanView }
  | { readonly name: 'failed'; readonly plan: PlanView; readonly error: InspectorError }
  | { readonly name: 'done'; readonly receipt: Receipt };

export type DialogEvent =
  | { readonly type: 'planned'; readonly plan: PlanView }
  | { readonly type: 'plan-failed'; readonly error: InspectorError }
  | { readonly type: 'confirmed' }
  | { readonly type: 'applied'; readonly receipt: Receipt }
  | { readonly type: 'apply-failed'; readonly error: InspectorError }
  /** The person asks for a new preview: after a failure, or with other input. */
  | { readonly type: 'again' };

export const OPENED: DialogState = { name: 'computing', because: { kind: 'opened' } };

export function step(state: DialogState, event: DialogEvent): DialogState {
  switch (event.type) {
    case 'planned':
      return state.name === 'computing' ? previewed(state.because, event.plan) : state;
    case 'plan-failed':
      return state.name === 'computing' ? { name: 'refused', error: event.error } : state;
    case 'confirmed':
      return canConfirm(state) ? { name: 'applying', plan: state.plan } : state;
    case 'applied':
      return state.name === 'applying' ? { name: 'done', receipt: event.receipt } : state;
    case 'apply-failed':
      return state.name === 'applying' ? afterFailure(state.plan, event.error) : state;
    case 'again':
      return state.name === 'applying' || state.name === 'done' ? state : OPENED;
  }
}

/** Only a preview that is on the screen can be confirmed. */
export function canConfirm(state: DialogState): state is Extract<DialogState, { name: 'ready' | 'conflict' }> {
  return state.name === 'ready' || state.name === 'conflict';
}

/** While it applies there is no way back, so there is no way out either. */
export const canClose = (state: DialogState): boolean => state.name !== 'applying';

export function planOf(state: DialogState): PlanView | undefined {
  return 'plan' in state ? state.plan : undefined;
}

function previewed(because: Because, plan: PlanView): DialogState {
  switch (because.kind) {
    case 'opened':
      return { name: 'ready', plan };
    case 'expired':
      return { name: 'ready', plan, renewed: true };
    case 'moved':
      return { name: 'conflict', plan, before: because.before, message: because.message };
  }
}

function afterFailure(plan: PlanView, error: InspectorError): DialogState {
  switch (error.code) {
    case 'head_moved':
    case 'changed':
      return { name: 'computing', because: { kind: 'moved', before: plan.latestBefore, message: error.message } };
    case 'plan_expired':
      return { name: 'computing', because: { kind: 'expired' } };
    default:
      return { name: 'failed', plan, error };
  }
}
