import { type CheckpointMeta, type CheckpointRef, formatAddress, sameRef } from '@checkpoint-inspector/core';
import { useNavigate } from '@tanstack/react-router';
import clsx from 'clsx';
import { ArrowRight, Check, ChevronDown, Flag, Pin, Search } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useCallback, useRef, useState } from 'react';
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
import { addressOf, taskPage, toAddress } from '../../lib/address.ts';
import { isLarge } from '../../lib/readable.ts';
import { stepNumber } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { baseSelection, selection, type Workbench } from '../workbench/use-workbench.ts';
import { CheckpointPicker } from '../compare/CheckpointPicker.tsx';
import { DiffSum } from './DiffRow.tsx';
import { StepsBehind } from './MadeBy.tsx';
import { DiffAsChoice, DiffView, WalkCount } from './DiffView.tsx';
import { DiffOptions } from './IgnoreRules.tsx';
import { type DiffAs, useCompared } from './walk.ts';

/** What this step changed, against its parent or any base. */
export function DiffTab({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { base, change } = bench;
  if (bench.awaitsBase) return <AwaitsBase />;
  if (!base) {
    return (
      <>
        <div className="diff-bar">
          <BasePicker bench={bench} meta={meta} />
        </div>
        <EmptyState action={<Button onClick={() => change({ view: 'state' })}>Show the state</Button>}>
          {meta.parentId === undefined
            ? 'This checkpoint has no parent to compare with. Choose a base above, or look at the state itself.'
            : "This checkpoint's parent is no longer in the store. Choose another base above, or look at the state itself."}
        </EmptyState>
      </>
    );
  }
  return <Compared key={bench.store} bench={bench} meta={meta} />;
}

/** From where is being worked out: nothing is shown that would be replaced at once. */
function AwaitsBase() {
  return (
    <div className="changes-tab" data-testid="changes-tab" data-state="loading">
      <LoadingBar active />
      <div className="diff-bar" />
      <Skeleton rows={9} height={28} />
    </div>
  );
}

function Compared({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { store, base, search, change } = bench;
  const [filter, setFilter] = useState<string>();
  const target = addressOf(meta);
  const from = base ? toAddress(store, base) : target;
  const { diff } = bench;
  const openStep = useOpenStep(bench);
  const isOneStep = base === undefined || (bench.parent !== undefined && sameRef(base, bench.parent));
  const all = search.only === '0' && !isLarge(meta);
  const as: DiffAs = search.as ?? 'ranked';
  const asked = `${formatAddress(from)} ${formatAddress(target)}`;
  const filterField = useRef<HTMLInputElement>(null);
  const openFilter = (): void => {
    setFilter((before) => before ?? '');
    filterField.current?.select();
  };
  useKeys({ '/': openFilter, 'Ctrl+f': openFilter });
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
      <div className={clsx('diff-bar', bench.good && 'with-since')}>
        {bench.good && <SinceChoice bench={bench} good={bench.good} />}
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
            ref={filterField}
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
        <StepsBehind pair={isOneStep ? undefined : { a: from, b: target }} rules={bench.rules} onOpen={openStep}>
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
            system={bench.info?.system}
            sides={[bench.baseMeta ? stepNumber(bench.baseMeta) : 'base', stepNumber(meta)]}
          />
        </StepsBehind>
      )}
    </div>
  );
}

/** At the step that made a change, of this task or of the one that it was forked from. */
function useOpenStep({ store, task, change }: Workbench) {
  const navigate = useNavigate();
  return useCallback(
    (ref: CheckpointRef, path: string): void => {
      const search = { ...selection(ref), path, view: 'changes' } as const;
      if (ref.task !== task) void navigate({ ...taskPage(store, ref.task), search });
      else change({ ...search, ...PARENT, follow: undefined }, true);
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `change` is a new function each time
    [store, task, navigate],
  );
}

const PARENT = { base: undefined, basens: undefined, basetask: undefined };

interface SinceChoiceProps {
  readonly bench: Workbench;
  readonly good: NonNullable<Workbench['good']>;
}

/** A failed checkpoint: all since the last good one, or its own step. */
function SinceChoice({ bench, good }: SinceChoiceProps) {
  const { base, parent, change } = bench;
  const isAt = (ref: CheckpointRef | undefined): boolean =>
    base !== undefined && ref !== undefined && sameRef(base, ref);
  return (
    <ToggleGroup.Root
      type="single"
      className="segments words since-choice"
      aria-label="Changes since"
      data-testid="since"
      value={isAt(good) ? 'good' : isAt(parent) ? 'step' : ''}
      onValueChange={(next) => {
        if (next === 'good' || next === 'step') change({ ...PARENT, since: next, path: undefined });
      }}
    >
      <ToggleGroup.Item
        value="good"
        aria-label={`Since last good ${stepNumber(good)}`}
        title={`Everything since the last good checkpoint, ${stepNumber(good)}`}
      >
        <Icon of={Flag} size={12} />
        <span>
          Since <span className="since-words">last good </span>
          {stepNumber(good)}
        </span>
      </ToggleGroup.Item>
      <ToggleGroup.Item value="step" title="What this step changed">
        This step
      </ToggleGroup.Item>
    </ToggleGroup.Root>
  );
}

/** Base → target; the base is the parent until another one is pinned. */
function BasePicker({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { store, base, baseMeta, pinned, task, change } = bench;
  // The choice beside it says the same.
  const isChosenBeside = bench.good !== undefined && base !== undefined && (!pinned || sameRef(base, bench.good));
  const name = baseMeta ? stepNumber(baseMeta) : base ? '…' : 'no base';
  const unpin = (close: () => void) => (
    <button
      type="button"
      className="picker-choice"
      aria-pressed={!pinned}
      onClick={() => {
        change({ ...PARENT, since: bench.good && 'step' });
        close();
      }}
    >
      <span className="menu-check">{!pinned && <Icon of={Check} />}</span>
      The parent of each checkpoint
    </button>
  );
  return (
    <span className="diff-pick">
      {pinned && !isChosenBeside && <Icon of={Pin} />}
      <CheckpointPicker
        label="Compare with"
        store={store}
        start={{ store, task: base?.task ?? task }}
        chosen={pinned && base ? toAddress(store, base) : undefined}
        onPick={(_store, ref) => change(baseSelection(ref, task))}
        before={unpin}
        trigger={
          <Button variant="ghost" title={pinned ? 'Pinned base' : 'The parent'} data-testid="base-picker">
            <span className={isChosenBeside ? 'sr-only' : undefined}>{name}</span>
            <Icon of={ChevronDown} size={12} />
          </Button>
        }
      />
      {!isChosenBeside && (
        <>
          <Icon of={ArrowRight} />
          <b>{stepNumber(meta)}</b>
        </>
      )}
    </span>
  );
}
