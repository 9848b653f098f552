import { Note } from '../change/ChangeNotes.tsx';
import type { Receipt, StoreInfo } from '@checkpoint-inspector/core';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Icon, LoadingBar } from '../../components/index.ts';
import type { TaskPlace } from '../../lib/address.ts';
import { formatCount, plural, showId } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { ConfirmDialog } from '../change/ConfirmDialog.tsx';
import { unchangedText } from '../change/sentences.ts';
import type { ChangeCalls } from '../change/use-change.ts';
import { FIRST_FORM, PolicyFields, policyIn } from './PolicyFields.tsx';
import { PerTask, PruneAccount, PruneLists } from './PruneLists.tsx';
import { canConfirm, plansOf, type PruneState, type TaskPlan, usePrune } from './use-prune.ts';
import { accountOf, accountText, titleOf, undoText } from './words.ts';
import './prune.css';

interface PruneDialogProps {
  readonly calls: ChangeCalls;
  readonly targets: readonly TaskPlace[];
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
  const policy = 'policy' in meaning ? meaning.policy : undefined;
  const { state, shown, confirm, again } = usePrune(calls, targets, policy, onDone);
  const applying = state.name === 'applying';
  const unsettled = form !== rested || state.name === 'computing';
  const [first] = targets;
  const label = stores.find((info) => info.id === first?.store)?.label ?? first?.store ?? '';
  const plans = plansOf(shown ?? []);
  const { goes } = accountOf(plans);
  return (
    <ConfirmDialog
      title={titleOf(targets.map(({ task }) => task))}
      description={`${targets.length === 1 ? `In ${label}. ` : ''}Deleted checkpoints are kept in the trash, byte for byte.`}
      testId="prune-dialog"
      phase={unsettled ? 'computing' : state.name}
      said={announcement(state, unsettled)}
      promise={state.name === 'failed' || shown === undefined ? undefined : undoText(plans)}
      className="prune-body"
      over={state.name === 'failed'}
      applying={applying}
      label={applying ? `Deleting ${plural(goes, 'checkpoint')}…` : `Delete ${formatCount(goes)}`}
      reason={unsettled ? 'Preparing the preview…' : reasonOf(state)}
      onClose={onClose}
      onConfirm={unsettled ? ignore : confirm}
      onAgain={again}
    >
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
    </ConfirmDialog>
  );
}

const reasonOf = (state: PruneState): string | undefined =>
  canConfirm(state) || state.name === 'applying' ? undefined : 'No checkpoints match this policy.';

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
          : `${plural(receipts.length, 'task')} before it ${receipts.length === 1 ? 'is' : 'are'} done; Activity has the receipts. The others weren't changed.`}
      </p>
      <p className="muted">{error.remedy}</p>
    </Note>
  );
}

function announcement(state: PruneState, unsettled: boolean): string {
  if (state.name === 'applying') return 'Deleting';
  if (unsettled || state.name !== 'ready') return '';
  return accountText(accountOf(plansOf(state.tasks)));
}
