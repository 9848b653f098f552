import { NEXT_PAGE, planItemsQuery } from '../../lib/queries.ts';
import type { PlanItem, PlanView, StoreInfo } from '@checkpoint-inspector/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EyeOff, type LucideIcon, Minus, ShieldCheck, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Icon, LoadingBar, Tabs, VirtualList } from '../../components/index.ts';
import { cutMiddle, formatCount, formatSize, showId, stepNumber } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { PlanPart } from '../../lib/api.ts';
import { accountOf } from './words.ts';
import { plansOf, type TaskPlan } from './use-prune.ts';

const WORDS: Record<PlanPart, { readonly label: string; readonly none: string }> = {
  removes: { label: 'Delete', none: 'Nothing to delete: no unprotected checkpoints match the policy.' },
  protected: { label: 'Keep', none: 'Nothing is protected: every match can be deleted.' },
  skipped: { label: 'Skipped', none: 'Everything can be read.' },
};

/** All that goes, all that stays although the policy names it, and what cannot be read; each with its reason. */
export function PruneLists({ plan }: { readonly plan: PlanView }) {
  const [part, setPart] = useState<PlanPart>('removes');
  const counts: Record<PlanPart, number> = {
    removes: plan.removes.count,
    protected: plan.protected.count,
    skipped: plan.leftOut?.skipped ?? 0,
  };
  const parts: readonly PlanPart[] =
    counts.skipped > 0 ? ['removes', 'protected', 'skipped'] : ['removes', 'protected'];
  const chosen = parts.includes(part) ? part : 'removes';
  return (
    <div className="prune-lists">
      <Tabs
        label="What the policy does"
        items={parts.map((id) => ({ id, label: WORDS[id].label, count: formatCount(counts[id]) }))}
        value={chosen}
        onChange={setPart}
      >
        {counts[chosen] === 0 ? (
          <p className="prune-none">{WORDS[chosen].none}</p>
        ) : (
          <PartList plan={plan} part={chosen} count={counts[chosen]} />
        )}
      </Tabs>
    </div>
  );
}

interface PartListProps {
  readonly plan: PlanView;
  readonly part: PlanPart;
  readonly count: number;
}

/** A plan shows its first hundred at once; the others are read as far as they are scrolled to. */
function PartList({ plan, part, count }: PartListProps) {
  const first = part === 'skipped' ? NONE : plan[part].items;
  const enough = first.length === count;
  const all = useInfiniteQuery({ ...planItemsQuery(plan.id, part), enabled: !enough });
  const { hasNextPage, isFetching, fetchNextPage } = all;
  const items = useMemo(
    () => (enough ? first : (all.data?.pages.flatMap((page) => page.items) ?? first)),
    [enough, first, all.data],
  );
  // Keys such as End lead to the last of them, so all are fetched one after the other.
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage(NEXT_PAGE);
  }, [hasNextPage, isFetching, fetchNextPage]);
  return (
    <>
      <LoadingBar active={!enough && items.length < count && !all.isError} />
      {all.isError && <p className="prune-none">The rest of the list could not be read: {all.error.message}</p>}
      <VirtualList
        items={items}
        keyOf={({ ref }) => `${ref.namespace ?? ''} ${ref.id}`}
        heightOf={() => 28}
        // Why something stays is read in full.
        measured={part !== 'removes'}
        role="list"
        scrolls
        label={WORDS[part].label}
        className="prune-list"
        testId={`prune-${part}`}
        render={(item) => <ItemRow item={item} whole={part !== 'removes'} />}
      />
    </>
  );
}

const NONE: readonly PlanItem[] = [];

function ItemRow({ item, whole }: { readonly item: PlanItem; readonly whole: boolean }) {
  const { ref, reason, step, sizeBytes } = item;
  const shown = useShown();
  const name = step?.description === undefined ? '' : shown(step.description);
  const why = shown(reason);
  return (
    <div className={whole ? 'prune-row whole' : 'prune-row'} data-testid="prune-row">
      <span className="data strong">{step === undefined ? '' : stepNumber(step)}</span>
      <span className="cut" title={`${name} ${showId(ref.id)}`.trim()}>
        {name} <span className="data-small muted">{cutMiddle(showId(ref.id), 18)}</span>
      </span>
      <span className={whole ? 'prune-why' : 'prune-why cut'} title={whole ? undefined : why}>
        {why}
      </span>
      <span className="prune-size">{sizeBytes === undefined ? '' : formatSize(sizeBytes)}</span>
    </div>
  );
}

/** How many go, stay and are left out: together all checkpoints of the tasks. */
export function PruneAccount({ tasks }: { readonly tasks: readonly TaskPlan[] }) {
  const { goes, stays, others, skipped, bytes } = accountOf(plansOf(tasks));
  return (
    <dl className="prune-account" data-testid="prune-account">
      <Figure icon={Trash2} count={goes} label="to delete" note={goes === 0 ? '' : formatSize(bytes)} name="goes" />
      <Figure icon={ShieldCheck} count={stays} label="protected" note="kept" name="stays" />
      <Figure icon={Minus} count={others} label="not matched" note="kept" name="others" />
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
