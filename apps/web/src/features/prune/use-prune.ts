/** Previews of a policy over tasks, made again as the policy changes, and the one call that applies them. */
import { InspectorError, type PlanView, type Receipt, type RetentionPolicy } from '@checkpoint-inspector/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TaskPlace } from '../../lib/address.ts';
import type { ChangeCalls } from '../change/use-change.ts';

/** What became of one task. */
export interface TaskPlan extends TaskPlace {
  readonly plan?: PlanView;
  /** Why there is no plan for it. */
  readonly error?: InspectorError;
}

export const plansOf = (tasks: readonly TaskPlan[]): readonly PlanView[] =>
  tasks.flatMap(({ plan }) => (plan === undefined ? [] : [plan]));

export type PruneState =
  | { readonly name: 'computing' }
  /** `of`: the question that these are the previews of. */
  | { readonly name: 'ready'; readonly tasks: readonly TaskPlan[]; readonly of: string }
  | { readonly name: 'applying'; readonly tasks: readonly TaskPlan[]; readonly done: number }
  /** Some tasks may be done: `receipts` says which. */
  | {
      readonly name: 'failed';
      readonly receipts: readonly Receipt[];
      readonly error: InspectorError;
      readonly task: string;
    }
  | { readonly name: 'done' };

const COMPUTING: PruneState = { name: 'computing' };

/**
 * `policy` absent: the fields mean nothing, so nothing is planned. `shown` holds the newest previews also while the
 * next ones are computed; `confirm` applies those on the screen and does nothing in any other state.
 */
export function usePrune(
  calls: ChangeCalls,
  targets: readonly TaskPlace[],
  policy: RetentionPolicy | undefined,
  onDone: (receipts: readonly Receipt[]) => void,
) {
  const [last, setState] = useState<PruneState>(COMPUTING);
  const [shown, setShown] = useState<readonly TaskPlan[]>();
  const [round, setRound] = useState(0);
  const busy = useRef(false);
  const wanted = JSON.stringify({ targets, policy: policy ?? null });
  // Between a new policy and its preview no key may confirm the old one, be it for a moment.
  const state = last.name === 'ready' && last.of !== wanted ? COMPUTING : last;

  useEffect(() => {
    if (busy.current) return undefined;
    let stale = false;
    // As text: a new object with the same content is not a new question.
    const asked = JSON.parse(wanted) as { targets: TaskPlace[]; policy: RetentionPolicy | null };
    setState(COMPUTING);
    if (asked.policy === null) return undefined;
    void planAll(calls, asked.targets, asked.policy).then((tasks) => {
      if (stale) return;
      setShown(tasks);
      setState({ name: 'ready', tasks, of: wanted });
    });
    return () => {
      stale = true;
    };
  }, [calls, wanted, round]);

  const confirm = useCallback(() => {
    if (!canConfirm(state) || busy.current) return;
    busy.current = true;
    const { tasks } = state;
    const told = (done: number) => setState({ name: 'applying', tasks, done });
    told(0);
    void applyAll(calls, tasks, told).then(({ receipts, failure }) => {
      busy.current = false;
      setState(failure === undefined ? { name: 'done' } : { name: 'failed', receipts, ...failure });
      if (failure === undefined) onDone(receipts);
    });
  }, [state, calls, onDone]);

  return { state, shown, confirm, again: useCallback(() => setRound((n) => n + 1), []) };
}

/** Only previews that are on the screen and delete something can be confirmed. */
export function canConfirm(state: PruneState): state is Extract<PruneState, { name: 'ready' }> {
  return state.name === 'ready' && state.tasks.some(({ plan }) => (plan?.removes.count ?? 0) > 0);
}

function planAll(
  calls: ChangeCalls,
  targets: readonly TaskPlace[],
  policy: RetentionPolicy,
): Promise<readonly TaskPlan[]> {
  return Promise.all(
    targets.map(async (target): Promise<TaskPlan> => {
      try {
        return { ...target, plan: await calls.plan(target.store, { kind: 'prune', task: target.task, policy }) };
      } catch (error) {
        return { ...target, error: InspectorError.from(error) };
      }
    }),
  );
}

/** One after the other; the first that fails ends it, and what was done before stays done. */
async function applyAll(calls: ChangeCalls, tasks: readonly TaskPlan[], told: (done: number) => void) {
  const receipts: Receipt[] = [];
  for (const { plan, task } of tasks) {
    if (plan === undefined || plan.removes.count === 0) continue;
    try {
      receipts.push(await calls.apply(plan.id));
    } catch (error) {
      return { receipts, failure: { error: InspectorError.from(error), task } };
    }
    told(receipts.length);
  }
  return { receipts };
}
