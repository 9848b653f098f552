/** Runs the dialog's states against the server: previews, applies, previews again. */
import { InspectorError, type ChangeRequest, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { OPENED, canConfirm, step, type DialogState } from './machine.ts';

/** The two calls a change needs; `api` of lib/api.ts has them. */
export interface ChangeCalls {
  plan(store: string, request: ChangeRequest): Promise<PlanView>;
  apply(planId: string): Promise<Receipt>;
}

export interface Change {
  readonly state: DialogState;
  /** Applies the preview on the screen; does nothing in any other state. */
  readonly confirm: () => void;
  /** A new preview. */
  readonly again: () => void;
}

export function useChange(
  calls: ChangeCalls,
  store: string,
  request: ChangeRequest,
  onDone: (receipt: Receipt) => void,
): Change {
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
    // The request as text is the dependency: a new object with the same content is no new request.
    calls.plan(store, JSON.parse(wanted) as ChangeRequest).then(
      (plan) => stale || send({ type: 'planned', plan }),
      (error: unknown) => stale || send({ type: 'plan-failed', error: InspectorError.from(error) }),
    );
    return () => {
      stale = true;
    };
  }, [state, calls, store, wanted]);

  const confirm = useCallback(() => {
    // Other input, and its preview not begun yet: the old one is not what is asked for any more.
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
