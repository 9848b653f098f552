import type { StoreInfo } from '@checkpoint-inspector/core';
import { EyeOff, Minus, ShieldCheck, Trash2, type LucideIcon } from 'lucide-react';
import { Icon } from '../../components/Icon.tsx';
import { formatCount, formatSize, showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { accountOf } from './words.ts';
import type { TaskPlan } from './use-prune.ts';

/** How many go, stay and are left out: together all checkpoints of the tasks. */
export function PruneAccount({ tasks }: { readonly tasks: readonly TaskPlan[] }) {
  const plans = tasks.flatMap(({ plan }) => (plan === undefined ? [] : [plan]));
  const { goes, stays, others, skipped, bytes } = accountOf(plans);
  return (
    <dl className="prune-account" data-testid="prune-account">
      <Figure icon={Trash2} count={goes} label="to delete" note={goes === 0 ? '' : formatSize(bytes)} name="goes" />
      <Figure icon={ShieldCheck} count={stays} label="protected" note="stay, with reason" name="stays" />
      <Figure icon={Minus} count={others} label="not named" note="by this policy" name="others" />
      <Figure icon={EyeOff} count={skipped} label="unreadable" note="skipped" name="skipped" />
    </dl>
  );
}

interface FigureProps {
  readonly icon: LucideIcon;
  readonly count: number;
  readonly label: string;
  readonly note: string;
  readonly name: string;
}

function Figure({ icon, count, label, note, name }: FigureProps) {
  return (
    <div data-figure={name} className={count === 0 ? 'zero' : undefined}>
      <dt>
        <Icon of={icon} />
        {label}
      </dt>
      <dd>
        <b>{formatCount(count)}</b> <span className="muted small">{note}</span>
      </dd>
    </div>
  );
}

interface PerTaskProps {
  readonly tasks: readonly TaskPlan[];
  readonly stores: readonly StoreInfo[];
  /** Whose checkpoints are listed below. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

/** Several tasks, each with a plan, a receipt and an undo of its own. */
export function PerTask({ tasks, stores, chosen, onChoose }: PerTaskProps) {
  const shown = useShown();
  return (
    <ul className="prune-tasks" aria-label="Tasks">
      {tasks.map(({ store, task, plan, error }, index) => (
        <li key={`${store} ${task}`}>
          <button type="button" aria-pressed={index === chosen} onClick={() => onChoose(index)}>
            <span className="cut strong">{showId(task)}</span>
            <span className="cut muted">{stores.find((info) => info.id === store)?.label ?? store}</span>
            {plan === undefined ? (
              <span className="prune-refused">{error === undefined ? '' : `No plan: ${shown(error.message)}`}</span>
            ) : (
              <span className="prune-counts">
                {formatCount(plan.removes.count)} to delete, {formatCount(plan.protected.count)} protected
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
