import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { ChevronLeft, ChevronRight, PanelRight } from 'lucide-react';
import { ErrorState, IconButton, LoadingBar, Skeleton, Tabs } from '../../components/index.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { AnswerStrip } from '../../features/answer/AnswerStrip.tsx';
import { DiffTab } from '../../features/diff/DiffTab.tsx';
import { countMessages } from '../../features/chat/rows.ts';
import { Gone } from '../../features/gone/Gone.tsx';
import { EmptyTask } from '../../features/gone/MissingTask.tsx';
import { stepName, timeTitle, timeWords } from '../../features/history/HistoryRow.tsx';
import { LockedNote } from '../../features/unlock/ask.tsx';
import { MetaTab } from '../../features/meta/MetaTab.tsx';
import { planCount, StepsTab } from '../../features/steps/StepsTab.tsx';
import { RawTab } from '../../features/raw/RawTab.tsx';
import { StateTab } from '../../features/value/StateTab.tsx';
import { refOf } from '../../lib/address.ts';
import { formatAgo, stepNumber } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { isLocked } from '../../lib/readable.ts';
import type { View } from '../../lib/search.ts';
import { ActionBar } from './ActionBar.tsx';
import type { CheckpointActions } from './use-actions.ts';
import type { Workbench } from '../../features/workbench/use-workbench.ts';

/** Brings the reader of Markdown, which nothing else needs. */
const ChatTab = onDemand(async () => (await import('../../features/chat/ChatTab.tsx')).ChatTab);

interface ContentPaneProps {
  readonly bench: Workbench;
  readonly actions: CheckpointActions;
  /** Opens the inspector where it is a drawer. */
  readonly onInspect?: (() => void) | undefined;
}

const TAB_WORDS: Record<View, string> = {
  changes: 'Changes',
  state: 'State',
  chat: 'Chat',
  plan: 'Plan',
  raw: 'Raw',
  meta: 'Meta',
};

export function ContentPane({ bench, actions, onInspect }: ContentPaneProps) {
  const { meta, history, search, error } = bench;
  const state = meta ? 'ready' : history.list.isPending ? 'loading' : history.list.isError ? 'error' : 'empty';
  return (
    <section className="pane" aria-label="Checkpoint" data-testid="content-pane" data-state={state}>
      {meta && !gone(error) ? (
        <Content bench={bench} meta={meta} actions={actions} onInspect={onInspect} />
      ) : history.list.isPending || (search.cp !== undefined && !bench.settled) ? (
        <>
          <LoadingBar active />
          <Skeleton rows={8} height={28} />
        </>
      ) : search.cp !== undefined ? (
        gone(error) || !error ? (
          <Gone store={bench.store} task={bench.task} ns={search.ns} id={search.cp}>
            <button type="button" className="btn" onClick={() => bench.change({ cp: undefined, ns: undefined })}>
              Show the latest
            </button>
          </Gone>
        ) : (
          <ErrorState error={error} />
        )
      ) : (
        <EmptyTask store={bench.store} task={bench.task} failed={history.list.isError} />
      )}
    </section>
  );
}

const gone = (error: Error | null): boolean => error !== null && 'code' in error && error.code === 'not_found';

interface ContentProps extends ContentPaneProps {
  readonly meta: CheckpointMeta;
}

function Content({ bench, meta, actions, onInspect }: ContentProps) {
  const { view, views, search, change } = bench;
  const tabs = bench.tabs.map((id) => ({ id, label: TAB_WORDS[id], count: countOf(bench, id) }));
  const onPath = (path: string | undefined): void => change({ path });
  return (
    <>
      <Title bench={bench} meta={meta} onInspect={onInspect} />
      <ActionBar bench={bench} actions={actions} />
      {isLocked(meta.problem) && <LockedNote store={meta.store} problem={meta.problem} />}
      <AnswerStrip bench={bench} meta={meta} />
      <Tabs items={tabs} value={view} onChange={(next) => change({ view: next })} label="Views of this checkpoint">
        {view === 'changes' && <DiffTab bench={bench} meta={meta} />}
        {view === 'state' &&
          (bench.settled || meta.revision !== undefined ? (
            <StateTab
              meta={meta}
              path={search.path}
              onPath={onPath}
              onRaw={() => change({ view: 'raw' })}
              parent={bench.parent}
              rules={bench.rules}
            />
          ) : (
            <LoadingBar active />
          ))}
        {view === 'chat' && (
          <ChatTab
            key={`${meta.store} ${meta.taskId}`}
            store={meta.store}
            system={bench.info?.system}
            parent={bench.parent}
            channels={views.chat}
            loading={views.loading}
            onClose={() => change({ view: undefined })}
          />
        )}
        {view === 'plan' && (
          <StepsTab
            key={`${meta.store} ${meta.taskId}`}
            plan={views.plan}
            loading={views.loading}
            status={meta.status}
          />
        )}
        {view === 'raw' && <RawTab meta={meta} />}
        {view === 'meta' && <MetaTab meta={meta} info={bench.info} />}
      </Tabs>
    </>
  );
}

/** Known numbers only: one of another checkpoint is not a number of this one. */
function countOf({ base, diff, views }: Workbench, view: View): number | string | undefined {
  if (view === 'changes') return base && !diff.isPlaceholderData ? diff.data?.items.length : undefined;
  if (!views.current) return undefined;
  if (view === 'chat') return views.chat && countMessages(views.chat);
  return view === 'plan' && views.plan ? planCount(views.plan) : undefined;
}

/** What fits beside a name on a phone: the age, else the day. */
const briefTime = (meta: CheckpointMeta): string =>
  meta.createdAt === undefined
    ? timeWords(meta).replace(/^(\d{4}-\d\d-\d\d) .*$/, '$1')
    : formatAgo(meta.createdAt, Date.now());

function Title({ bench, meta, onInspect }: Omit<ContentProps, 'actions'>) {
  const { history } = bench;
  const narrow = useMedia('(max-width: 799px)');
  const shown = useShown();
  const place = history.selected ? history.rows.indexOf(history.selected) : -1;
  const [newer, older] = [history.rows[place - 1], history.rows[place + 1]];
  return (
    <header className="content-title">
      <span className="step-buttons">
        <IconButton
          label="Older"
          icon={ChevronLeft}
          disabledReason={older ? undefined : 'this is the oldest'}
          onClick={() => older && bench.select(refOf(older))}
        />
      </span>
      <h2 className="cut" aria-live="polite">
        {stepNumber(meta)} <span>{stepName(meta, shown)}</span>
      </h2>
      <span className="step-buttons">
        <IconButton
          label="Newer"
          icon={ChevronRight}
          disabledReason={newer ? undefined : 'this is the newest'}
          onClick={() => newer && bench.select(refOf(newer))}
        />
      </span>
      <time className="end small muted content-time" dateTime={meta.createdAt} title={timeTitle(meta)}>
        {narrow ? briefTime(meta) : timeWords(meta)}
      </time>
      {onInspect && <IconButton className="inspect-button" label="Inspector" icon={PanelRight} onClick={onInspect} />}
    </header>
  );
}
