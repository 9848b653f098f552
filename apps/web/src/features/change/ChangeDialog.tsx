import type { CheckpointRef, PlanView, Receipt, StoreInfo } from '@checkpoint-inspector/core';
import { Undo2 } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import {
  confirmLabel,
  type NameOf,
  type PlannedRequest,
  sourceRefs,
  subtitleOf,
  titleOf,
  undoPromise,
  wordsOf,
} from './sentences.ts';
import { Dialog, Icon, LoadingBar } from '../../components/index.ts';
import { ChangePreview, PreviewSkeleton } from './ChangePreview.tsx';
import { ConfirmButtons, useConfirmKeys } from './ConfirmButtons.tsx';
import { ConflictNote, FailureNote, ForkFields, type ForkInput, RefusalNote, RenewedNote } from './ChangeNotes.tsx';
import { canClose, canConfirm, type ChangeCalls, type DialogState, planOf, useChange } from './use-change.ts';
import { useNames } from './names.ts';

interface ChangeDialogProps {
  readonly calls: ChangeCalls;
  readonly store: string;
  readonly info: Pick<StoreInfo, 'label' | 'latestRule'>;
  readonly request: PlannedRequest;
  /** What an edit changes, as the page that made it shows it. */
  readonly changes?: ReactNode;
  readonly onClose: () => void;
  readonly onDone: (receipt: Receipt) => void;
}

/** One dialog for restore, fork and delete: preview, confirm, apply. */
export function ChangeDialog({ calls, store, info, request: opened, changes, onClose, onDone }: ChangeDialogProps) {
  const [input, setInput] = useState<ForkInput>({ id: '', task: '' });
  const request = useMemo(() => withInput(opened, input), [opened, input]);
  const { state, confirm, again } = useChange(calls, store, request, onDone);
  const plan = planOf(state);
  const shown = useLastPlan(state);
  const names = useNames(
    store,
    useMemo(() => refsOf(request, state), [request, state]),
  );
  const cancel = useRef<HTMLButtonElement>(null);
  const locked = !canClose(state);

  useConfirmKeys(confirm);
  useEffect(() => {
    // A button that had the focus may be gone in the new state: Cancel takes it, never the primary one.
    if (document.activeElement === document.body || document.activeElement?.getAttribute('role') === 'dialog')
      cancel.current?.focus();
  }, [state.name]);

  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={titleOf(request, names.nameOf)}
      description={subtitleOf(request, info.label)}
      initialFocus={cancel}
      locked={locked}
      testId={`${request.kind}-dialog`}
      phase={state.name}
      footer={
        <DialogFooter
          state={state}
          request={request}
          nameOf={names.nameOf}
          cancel={cancel}
          onClose={onClose}
          onConfirm={confirm}
          onAgain={again}
        />
      }
    >
      <div className="change-body" aria-busy={state.name === 'computing' || state.name === 'applying'}>
        <p className="sr-only" role="status">
          {announcement(state)}
        </p>
        {state.name === 'conflict' && <ConflictNote state={state} nameOf={names.nameOf} />}
        {state.name === 'ready' && state.renewed && <RenewedNote />}
        {state.name === 'failed' && <FailureNote error={state.error} kind={request.kind} />}
        {state.name === 'refused' && <RefusalNote error={state.error} kind={request.kind} />}
        {request.kind === 'fork' && state.name !== 'done' && <ForkFields onChange={setInput} disabled={locked} />}
        <LoadingBar active={state.name === 'computing' && shown !== undefined} />
        {changes}
        {shown === undefined && state.name === 'computing' && <PreviewSkeleton diff={request.kind !== 'delete'} />}
        {shown !== undefined && (
          <div className={plan === undefined ? 'change-stale' : undefined}>
            <ChangePreview store={store} plan={shown} names={names} latestRule={info.latestRule} />
          </div>
        )}
      </div>
    </Dialog>
  );
}

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
  };
}

/** Everything that the dialog names. */
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
  const written = new Set(plan?.writes.items.map((item) => item.ref.id));
  return [...sourceRefs(request), before, ...planned].filter(
    (ref) => ref !== undefined && !written.has(ref.id),
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

interface FooterProps {
  readonly state: DialogState;
  readonly request: PlannedRequest;
  readonly nameOf: NameOf;
  readonly cancel: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly onAgain: () => void;
}

function DialogFooter({ state, request, nameOf, cancel, onClose, onConfirm, onAgain }: FooterProps) {
  const plan = planOf(state);
  const words = wordsOf(request.kind);
  const label = confirmLabel(request, nameOf);
  const applying = state.name === 'applying';
  const reason = canConfirm(state) || applying ? undefined : 'There is no preview to confirm yet.';
  return (
    <div className="change-foot">
      {plan !== undefined && state.name !== 'failed' && (
        <p className="change-undo">
          <Icon of={Undo2} />
          <span>{undoPromise(plan, nameOf)}</span>
        </p>
      )}
      <ConfirmButtons
        cancel={cancel}
        over={state.name === 'refused' || state.name === 'failed'}
        applying={applying}
        label={applying ? `${words.doing}…` : state.name === 'conflict' ? `${label} anyway` : label}
        reason={reason}
        onClose={onClose}
        onConfirm={onConfirm}
        onAgain={onAgain}
      />
    </div>
  );
}
