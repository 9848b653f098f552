/** A proposal in words. */
import { type CheckpointRef, type PlanView, sameRef } from '@checkpoint-inspector/core';
import type { Proposal } from '../../lib/api.ts';
import { showId } from '../../lib/format.ts';
import { type NameOf, titleOf } from '../change/sentences.ts';

export const OUTCOMES: Readonly<Record<Proposal['outcome'], string>> = {
  open: 'waits for you',
  applied: 'applied',
  dismissed: 'dismissed',
  expired: 'expired',
};

/** @example 'Restore #06 to competitor-revenue' */
export function headingOf({ request, task }: Pick<PlanView, 'request' | 'task'>, nameOf: NameOf): string {
  if (request.kind === 'undo') return `Undo a change in ${showId(task)}`;
  if (request.kind === 'edit') return `Save an edit of ${nameOf(request.ref)} in ${showId(task)}`;
  return titleOf(request, nameOf);
}

/** Of an edit of an older checkpoint: what the task gets back besides the edited values. */
export function editBase({
  request,
  latestBefore,
  targetTask,
}: Pick<PlanView, 'request' | 'latestBefore' | 'targetTask'>) {
  const from = latestBefore.ref;
  if (request.kind !== 'edit' || from === undefined || targetTask !== undefined) return undefined;
  return sameRef(from, request.ref) ? undefined : { from, to: request.ref };
}

/** What a person edits to change it first; absent where there is nothing to edit. */
export function editable({ request }: Pick<PlanView, 'request'>): CheckpointRef | undefined {
  return request.kind === 'edit' || request.kind === 'restore' || request.kind === 'fork' ? request.ref : undefined;
}

/** What a person reads above the plan. */
export function standing({ outcome, obstacle }: Pick<Proposal, 'outcome' | 'obstacle'>): {
  readonly lead: string;
  readonly rest: string;
} {
  switch (outcome) {
    case 'open':
      return { lead: 'Nothing has been changed.', rest: 'An agent can only propose. You decide, here.' };
    case 'applied':
      return { lead: 'Applied.', rest: 'Activity lists the change, with undo.' };
    case 'dismissed':
      return { lead: 'Dismissed.', rest: 'It was not applied.' };
    case 'expired':
      return {
        lead: 'Expired.',
        rest: `Nothing was changed. ${obstacle?.message ?? 'Ask the agent to propose it again.'}`,
      };
  }
}
