import { Note } from '../change/ChangeNotes.tsx';
import type { Receipt, StoreInfo } from '@checkpoint-inspector/core';
import { CircleAlert, TriangleAlert, Undo2 } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { Dialog, Icon, LoadingBar } from '../../components/index.ts';
import { formatCount, plural, showId } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { ConfirmButtons, useConfirmKeys } from '../change/ConfirmButtons.tsx';
import { unchangedText } from '../change/sentences.ts';
import type { ChangeCalls } from '../change/use-change.ts';
import { FIRST_FORM, PolicyFields, policyIn } from './PolicyFields.tsx';
import { PerTask, PruneAccount, PruneLists } from './PruneLists.tsx';
import { canConfirm, type PruneState, type PruneTarget, type TaskPlan, usePrune } from './use-prune.ts';
import { accountOf, accountText, titleOf, undoText } from './words.ts';
import './prune.css';

interface PruneDialogProps {
  readonly calls: ChangeCalls;
  readonly targets: readonly PruneTarget[];
  readonly stores: readonly StoreInfo[];
  readonly onClose: () => void;
  readonly onDone: (receipts: readonly Receipt[]) => void;
}

const TYPING_MS = 250;

/** A policy, what it would take away and leave, and the one key that does it. */
export function PruneDialog({ calls, targets, stores, onClose, onDone }: PruneDialogProps) {
  const [form, setForm] = useState(FIRST_FORM);
  const rested = useRested(form, TYPING_MS);
  const meaning = policyIn(rested);
  const prune = usePrune(calls, targets, 'policy' in meaning ? meaning.policy : undefined, onDone);
  const { state, shown, confirm, again } = prune;
  const cancel = useRef<HTMLButtonElement>(null);
  const applying = state.name === 'applying';
  const unsettled = form !== rested || state.name === 'computing';
  useConfirmKeys(unsettled ? ignore : confirm);
  const [first] = targets;
  const label = stores.find((info) => info.id === first?.store)?.label ?? first?.store ?? '';
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={titleOf(targets.map(({ task }) => task))}
      description={`${targets.length === 1 ? `In ${label}. ` : ''}What goes is kept in the trash, byte for byte.`}
      initialFocus={cancel}
      locked={applying}
      testId="prune-dialog"
      phase={unsettled ? 'computing' : state.name}
      footer={<Foot prune={prune} unsettled={unsettled} cancel={cancel} onClose={onClose} onAgain={again} />}
    >
      <div className="change-body prune-body" aria-busy={unsettled || applying}>
        <p className="sr-only" role="status">
          {announcement(state, unsettled)}
        </p>
        <PolicyFields
          form={form}
          onChange={setForm}
          reason={'reason' in meaning ? meaning.reason : undefined}
          disabled={applying}
        />
        <LoadingBar active={unsettled && 'policy' in meaning} />
        {state.name === 'failed' && <Failure state={state} />}
        {shown !== undefined && (
          <div className={unsettled ? 'prune-preview change-stale' : 'prune-preview'}>
            <Preview tasks={shown} stores={stores} />
          </div>
        )}
      </div>
    </Dialog>
  );
}

const ignore = (): void => undefined;

function Preview({ tasks, stores }: { readonly tasks: readonly TaskPlan[]; readonly stores: readonly StoreInfo[] }) {
  const shown = useShown();
  const [chosen, setChosen] = useState(0);
  const at = chosen < tasks.length ? chosen : 0;
  const one = tasks[at];
  return (
    <>
      <PruneAccount tasks={tasks} />
      {tasks.length > 1 && <PerTask tasks={tasks} stores={stores} chosen={at} onChoose={setChosen} />}
      {one?.error !== undefined && (
        <Note tone="warn" icon={TriangleAlert} title={one.error.message}>
          <p className="muted">{one.error.remedy}</p>
        </Note>
      )}
      {one?.plan !== undefined && (
        <>
          <PruneLists key={one.plan.id} plan={one.plan} />
          {one.plan.warnings.filter(isNews).map((warning) => (
            <p key={warning.code} className="prune-warning">
              <Icon of={TriangleAlert} />
              <span>{shown(warning.message)}</span>
            </p>
          ))}
        </>
      )}
    </>
  );
}

/** What is skipped has a number and a list already. */
const isNews = ({ code }: { readonly code: string }): boolean => code !== 'unreadable_skipped';

function Failure({ state }: { readonly state: Extract<PruneState, { name: 'failed' }> }) {
  const { error, receipts, task } = state;
  return (
    <Note tone="bad" icon={CircleAlert} title={`${showId(task)}: ${error.message}`}>
      <p>
        {receipts.length === 0
          ? unchangedText(error)
          : `${plural(receipts.length, 'task')} before it ${receipts.length === 1 ? 'is' : 'are'} done; Activity has the receipts. The others were not touched.`}
      </p>
      <p className="muted">{error.remedy}</p>
    </Note>
  );
}

function announcement(state: PruneState, unsettled: boolean): string {
  if (state.name === 'applying') return 'Deleting';
  if (unsettled || state.name !== 'ready') return '';
  return accountText(accountOf(state.tasks.flatMap(({ plan }) => (plan === undefined ? [] : [plan]))));
}

interface FootProps {
  readonly prune: ReturnType<typeof usePrune>;
  readonly unsettled: boolean;
  readonly cancel: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}

function Foot({ prune: { state, shown, confirm }, unsettled, cancel, onClose, onAgain }: FootProps) {
  const plans = shown?.flatMap(({ plan }) => (plan === undefined ? [] : [plan])) ?? [];
  const goes = accountOf(plans).goes;
  const applying = state.name === 'applying';
  const reason = unsettled
    ? 'The preview is being computed.'
    : canConfirm(state) || applying
      ? undefined
      : 'With this policy nothing is deleted.';
  return (
    <div className="change-foot">
      {state.name !== 'failed' && shown !== undefined && (
        <p className="change-undo">
          <Icon of={Undo2} />
          <span>{undoText(plans)}</span>
        </p>
      )}
      <ConfirmButtons
        cancel={cancel}
        over={state.name === 'failed'}
        applying={applying}
        label={applying ? `Deleting ${plural(goes, 'checkpoint')}…` : `Delete ${formatCount(goes)}`}
        reason={reason}
        onClose={onClose}
        onConfirm={confirm}
        onAgain={onAgain}
      />
    </div>
  );
}
