import { type CheckpointMeta, formatAddress } from '@checkpoint-inspector/core';
import { ArrowRight, Check, ChevronDown, Pin, Search } from 'lucide-react';
import { useState } from 'react';
import {
  Button,
  EmptyState,
  Icon,
  IconButton,
  LoadingBar,
  QueryError,
  Skeleton,
  TextField,
} from '../../components/index.ts';
import { addressOf, toAddress } from '../../lib/address.ts';
import { isLarge } from '../../lib/readable.ts';
import { stepNumber } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { baseSelection, type Workbench } from '../workbench/use-workbench.ts';
import { CheckpointPicker } from '../compare/CheckpointPicker.tsx';
import { DiffSum } from './DiffRow.tsx';
import { DiffAsChoice, DiffView, WalkCount } from './DiffView.tsx';
import { DiffOptions } from './IgnoreRules.tsx';
import { type DiffAs, useCompared } from './walk.ts';

/** What this step changed, against its parent or any base. */
export function DiffTab({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
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
  const all = search.only === '0' && !isLarge(meta);
  const as: DiffAs = search.as ?? 'ranked';
  const asked = `${formatAddress(from)} ${formatAddress(target)}`;
  useKeys({ '/': () => setFilter((before) => before ?? '') });
  const onPath = (path: string | undefined): void => change({ path });
  const { data, walk, text, isReading } = useCompared({
    diff,
    as,
    filter: filter ?? '',
    path: bench.path,
    onPath,
    all,
    meta: bench.settled ? meta : undefined,
  });
  return (
    <div
      className="changes-tab"
      data-testid="changes-tab"
      data-state={diff.isError ? 'error' : diff.isPending || diff.isPlaceholderData ? 'loading' : 'ready'}
      data-pair={asked}
    >
      <LoadingBar active={diff.isFetching || isReading} />
      <div className="diff-bar">
        <BasePicker bench={bench} meta={meta} />
        {data && <DiffSum summary={data.summary} />}
        <WalkCount walk={walk} />
        <span className="diff-bar-right">
          <DiffAsChoice value={as} onChange={(next) => change({ as: next === 'ranked' ? undefined : next })} />
          <IconButton
            className="diff-filter-button"
            label="Filter changes"
            kbd="/"
            icon={Search}
            aria-pressed={filter !== undefined}
            onClick={() => setFilter(filter === undefined ? '' : undefined)}
          />
          {data && <DiffOptions diff={data} own={search.rules !== undefined} all={all} change={change} />}
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
      <QueryError query={diff} title="The two states could not be compared.">
        <Button onClick={() => change({ view: 'raw' })}>Show raw bytes</Button>
      </QueryError>
      {data && (
        <DiffView
          key={asked}
          as={as}
          diff={data}
          walk={walk}
          filter={filter ?? ''}
          path={bench.path}
          onPath={onPath}
          state={text}
          all={all}
          sides={[bench.baseMeta ? stepNumber(bench.baseMeta) : 'base', stepNumber(meta)]}
        />
      )}
    </div>
  );
}

/** Base → target; the base is the parent until another one is pinned. */
function BasePicker({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { store, base, baseMeta, pinned, task, change } = bench;
  const name = baseMeta ? stepNumber(baseMeta) : base ? '…' : 'no base';
  const unpin = (close: () => void) => (
    <button
      type="button"
      className="picker-choice"
      aria-pressed={!pinned}
      onClick={() => {
        change({ base: undefined, basens: undefined, basetask: undefined });
        close();
      }}
    >
      <span className="menu-check">{!pinned && <Icon of={Check} />}</span>
      The parent of each checkpoint
    </button>
  );
  return (
    <span className="diff-pick">
      {pinned && <Icon of={Pin} />}
      <CheckpointPicker
        label="Compare with"
        store={store}
        start={{ store, task: base?.task ?? task }}
        chosen={pinned && base ? toAddress(store, base) : undefined}
        onPick={(_store, ref) => change(baseSelection(ref, task))}
        before={unpin}
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
