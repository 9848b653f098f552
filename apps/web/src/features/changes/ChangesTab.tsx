import { formatAddress, type CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, ChevronDown, Pin, Search } from 'lucide-react';
import { useState } from 'react';
import {
  Button,
  Checkbox,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  LoadingBar,
  Menu,
  Skeleton,
  TextField,
  type MenuItem,
} from '../../components/index.ts';
import { addressOf, refOf, toAddress } from '../../lib/address.ts';
import { formatCount, stepNumber } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { stateQuery } from '../../lib/queries.ts';
import { baseSelection, type Workbench } from '../../routes/workbench/useWorkbench.ts';
import { stepName } from '../history/HistoryRow.tsx';
import { DiffList } from './DiffList.tsx';
import { DiffSum } from './DiffSum.tsx';
import { IgnoreRules } from './IgnoreRules.tsx';

/** What this step changed, against its parent or any base. */
export function ChangesTab({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { base, change } = bench;
  if (!base) {
    return (
      <>
        <div className="diff-bar">
          <BasePicker bench={bench} meta={meta} />
        </div>
        <EmptyState action={<Button onClick={() => change({ view: 'state' })}>Show the state</Button>}>
          {meta.parentId === undefined
            ? 'This checkpoint has no parent to compare with. Choose a base above, or look at the state itself.'
            : 'The parent of this checkpoint is not in the store any more. Choose another base above, or look at the state itself.'}
        </EmptyState>
      </>
    );
  }
  return <Compared key={bench.store} bench={bench} meta={meta} />;
}

function Compared({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { store, base, search, change } = bench;
  const [filter, setFilter] = useState<string>();
  const target = addressOf(meta);
  const from = base ? toAddress(store, base) : target;
  const { diff } = bench;
  const all = search.only === '0';
  const state = useQuery({ ...stateQuery(target, meta.stateHash), enabled: all && bench.settled });
  const asked = `${formatAddress(from)} ${formatAddress(target)}`;
  useKeys({ '/': () => setFilter((before) => before ?? '') });
  // An answer about other checkpoints may stay on the screen while loading, but not under a failure.
  const data = diff.isError ? undefined : diff.data;
  return (
    <div
      className="changes-tab"
      data-testid="changes-tab"
      data-state={diff.isError ? 'error' : diff.isPending || diff.isPlaceholderData ? 'loading' : 'ready'}
      data-pair={asked}
    >
      <LoadingBar active={diff.isFetching || (all && state.isFetching)} />
      <div className="diff-bar">
        <BasePicker bench={bench} meta={meta} />
        {data && <DiffSum summary={data.summary} />}
        <span className="diff-bar-right">
          <Checkbox checked={!all} onChange={(only) => change({ only: only ? undefined : '0' })} testId="only-changes">
            Only changes
          </Checkbox>
          {data && (
            <IgnoreRules
              diff={data}
              own={search.rules !== undefined}
              onChange={(rules) =>
                change({ rules: rules === undefined ? undefined : rules.length === 0 ? [''] : [...rules] })
              }
            />
          )}
          <IconButton
            className="diff-filter-button"
            label="Filter changes"
            kbd="/"
            icon={Search}
            aria-pressed={filter !== undefined}
            onClick={() => setFilter(filter === undefined ? '' : undefined)}
          />
        </span>
      </div>
      {filter !== undefined && (
        <div className="diff-filter-bar">
          <TextField
            autoFocus
            icon={Search}
            label="Filter by path or value"
            value={filter}
            onChange={setFilter}
            className="grow"
            testId="diff-filter"
            onKeyDown={(event) => event.key === 'Escape' && setFilter(undefined)}
          />
        </div>
      )}
      {diff.isPending && <Skeleton rows={9} height={28} />}
      {diff.isError && (
        <ErrorState
          title="The two states could not be compared."
          error={diff.error}
          onRetry={() => void diff.refetch()}
        >
          <Button onClick={() => change({ view: 'raw' })}>Show raw bytes</Button>
        </ErrorState>
      )}
      {data && data.items.length === 0 && !all && (
        <NoChanges equal={data.equal} hidden={data.ignored.reduce((sum, rule) => sum + rule.count, 0)} />
      )}
      {data && (data.items.length > 0 || all) && (
        <DiffList
          key={asked}
          diff={data}
          filter={filter ?? ''}
          path={bench.path}
          onPath={(path) => change({ path })}
          allOf={all ? state.data?.text : undefined}
        />
      )}
    </div>
  );
}

function NoChanges({ equal, hidden }: { readonly equal: number; readonly hidden: number }) {
  return (
    <EmptyState>
      {hidden > 0
        ? `Only ignored values differ: ${formatCount(hidden)}. The other ${formatCount(equal)} values are equal.`
        : `All ${formatCount(equal)} values are equal.`}
    </EmptyState>
  );
}

const ROWS_OFFERED = 40;

/** Base → target; the base is the parent until another one is pinned. */
function BasePicker({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { base, baseMeta, pinned, history, task, change } = bench;
  const unpinned = { base: undefined, basens: undefined, basetask: undefined };
  const rows = history.rows
    .filter((row) => row.id !== meta.id || row.namespace !== meta.namespace)
    .slice(0, ROWS_OFFERED);
  const groups: MenuItem[][] = [
    [{ label: 'The parent of each checkpoint', checked: !pinned, onSelect: () => change(unpinned) }],
    rows.map((row) => ({
      label: `${stepNumber(row)} ${stepName(row)}`,
      detail: row.summary,
      checked: pinned && row.id === base?.id && row.namespace === base.namespace,
      onSelect: () => change(baseSelection(refOf(row), task)),
    })),
  ];
  const name = baseMeta ? stepNumber(baseMeta) : base ? '…' : 'no base';
  return (
    <span className="diff-pick">
      {pinned && <Icon of={Pin} />}
      <Menu
        label="Compare with"
        groups={groups}
        trigger={
          <Button variant="ghost" title={pinned ? 'Pinned base' : 'The parent'} data-testid="base-picker">
            {name}
            <Icon of={ChevronDown} size={12} />
          </Button>
        }
      />
      <Icon of={ArrowRight} />
      <b>{stepNumber(meta)}</b>
    </span>
  );
}
