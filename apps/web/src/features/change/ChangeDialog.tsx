import { type CheckpointRef, type PlanView, type Receipt, refKey, type StoreInfo } from '@checkpoint-inspector/core';
import { type ReactNode, useMemo, useState } from 'react';
import {
  confirmLabel,
  type PlannedRequest,
  sourceRefs,
  subtitleOf,
  titleOf,
  restoresLatest,
  undoPromise,
  wordsOf,
} from './sentences.ts';
import { LoadingBar } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { useTaskTitle } from '../../lib/queries.ts';
import { ChangePreview, PreviewSkeleton } from './ChangePreview.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import {
  ConflictNote,
  FailureNote,
  ForkFields,
  type ForkInput,
  LatestNote,
  RefusalNote,
  RenewedNote,
} from './ChangeNotes.tsx';
import { canClose, canConfirm, type ChangeCalls, type DialogState, planOf, useChange } from './use-change.ts';
import { useNames } from './names.ts';
import './change.css';

interface ChangeDialogProps {
  readonly calls: ChangeCalls;
  readonly store: string;
  readonly info: Pick<StoreInfo, 'label' | 'latestRule' | 'forkHistory'>;
  readonly request: PlannedRequest;
  /** What an edit changes, as the page that made it shows it. */
  readonly changes?: ReactNode;
  readonly onClose: () => void;
  readonly onDone: (receipt: Receipt) => void;
}

/** One dialog for restore, fork and delete: preview, confirm, apply. */
export function ChangeDialog({ calls, store, info, request: opened, changes, onClose, onDone }: ChangeDialogProps) {
  const [input, setInput] = useState<ForkInput>({ id: '', task: '', history: false });
  const request = useMemo(() => withInput(opened, input), [opened, input]);
  const { state, confirm, again } = useChange(calls, store, request, onDone);
  const plan = planOf(state);
  const shown = useLastPlan(state);
  const names = useNames(
    store,
    useMemo(() => refsOf(request, state), [request, state]),
  );
  const task = useTaskTitle(store, request.kind === 'prune' ? request.task : (sourceRefs(request)[0]?.task ?? ''));
  const applying = !canClose(state);
  const label = confirmLabel(request, names.nameOf);
  const latest = plan && restoresLatest(plan);
  return (
    <ConfirmDialog
      title={titleOf(request, names.nameOf, showId(task))}
      description={subtitleOf(request, info.label)}
      testId={`${request.kind}-dialog`}
      phase={state.name}
      said={announcement(state)}
      promise={
        plan === undefined || latest !== undefined || state.name === 'failed'
          ? undefined
          : undoPromise(plan, names.nameOf)
      }
      over={state.name === 'refused' || state.name === 'failed' || latest !== undefined}
      applying={applying}
      label={applying ? `${wordsOf(request.kind).doing}…` : state.name === 'conflict' ? `${label} anyway` : label}
      reason={canConfirm(state) || applying ? undefined : "The preview isn't ready yet."}
      onClose={onClose}
      onConfirm={latest === undefined ? confirm : ignore}
      {...(latest === undefined && { onAgain: again })}
    >
      {latest && <LatestNote name={names.nameOf(latest)} />}
      {state.name === 'conflict' && <ConflictNote state={state} nameOf={names.nameOf} />}
      {state.name === 'ready' && state.renewed && <RenewedNote />}
      {state.name === 'failed' && <FailureNote error={state.error} kind={request.kind} />}
      {state.name === 'refused' && <RefusalNote error={state.error} kind={request.kind} />}
      {request.kind === 'fork' && state.name !== 'done' && (
        <ForkFields onChange={setInput} disabled={applying} offersHistory={info.forkHistory === true} />
      )}
      <LoadingBar active={state.name === 'computing' && shown !== undefined} />
      {changes}
      {shown === undefined && state.name === 'computing' && <PreviewSkeleton diff={request.kind !== 'delete'} />}
      {shown !== undefined && latest === undefined && (
        <div className={plan === undefined ? 'change-stale' : undefined}>
          <ChangePreview store={store} plan={shown} names={names} latestRule={info.latestRule} />
        </div>
      )}
    </ConfirmDialog>
  );
}

const ignore = (): void => undefined;

/** While a new preview is computed the old one stays, greyed: it cannot be confirmed, and nothing jumps. */
function useLastPlan(state: DialogState): PlanView | undefined {
  const plan = planOf(state);
  const [last, setLast] = useState(plan);
  if (plan !== undefined && plan !== last) setLast(plan);
  if (plan !== undefined) return plan;
  return state.name === 'computing' ? last : undefined;
}

function withInput(request: PlannedRequest, input: ForkInput): PlannedRequest {
  if (request.kind !== 'fork') return request;
  return {
    ...request,
    ...(input.id === '' ? {} : { id: input.id }),
    ...(input.task === '' ? {} : { targetTask: input.task }),
    ...(input.history ? { history: true } : {}),
  };
}

function refsOf(request: PlannedRequest, state: DialogState): readonly CheckpointRef[] {
  const plan = planOf(state);
  const before = state.name === 'conflict' ? state.before.ref : undefined;
  const planned =
    plan === undefined
      ? []
      : [
          plan.latestBefore.ref,
          plan.latestAfter,
          ...[plan.evicts, plan.removes, plan.protected].flatMap((list) => list.items.map((item) => item.ref)),
        ];
  // A copy of a session has the ids of the one that it was copied from: the task tells them apart.
  const written = new Set(plan?.writes.items.map((item) => refKey(item.ref)));
  return [...sourceRefs(request), before, ...planned].filter(
    (ref) => ref !== undefined && !written.has(refKey(ref)),
  ) as CheckpointRef[];
}

function announcement(state: DialogState): string {
  switch (state.name) {
    case 'computing':
      return 'Computing the preview';
    case 'ready':
      return 'Preview ready';
    case 'applying':
      return 'Applying';
    default:
      return '';
  }
}
