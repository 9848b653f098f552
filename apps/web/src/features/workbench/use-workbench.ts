import {
  type Address,
  type CheckpointMeta,
  type CheckpointRef,
  sameRef,
  stateBytesOf,
} from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { addressOf, NOWHERE, refAt, refOf, toAddress } from '../../lib/address.ts';
import { type StateViews, viewsQuery } from '../../lib/views.ts';
import { checkpointQuery, diffQuery, useStore } from '../../lib/queries.ts';
import { firstChange } from '../diff/ranking.ts';
import { nodeSelected } from '../history/use-folds.ts';
import { type History, useHistory } from '../history/use-history.ts';
import { rulesFor, useSettings } from '../../lib/settings.ts';
import { rulesOf, type View, VIEWS, type WorkbenchSearch } from '../../lib/search.ts';
import { isLarge } from '../../lib/readable.ts';
import { useIsHere, useLate, useRested } from '../../lib/hooks.ts';
import { useExplanation } from '../answer/use-explanation.ts';

const route = getRouteApi('/t/$store/$task');

/** The selection as the address holds it, and the data it stands for. */
export function useWorkbench() {
  const { store, task } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const history = useHistory(store, task, search);
  const at = selectedAddress(store, task, search, history);
  // The row is enough to draw at once; this adds the hash and follows a save under the same id.
  const full = useQuery({ ...checkpointQuery(at ?? NOWHERE), enabled: at !== undefined });
  const meta: CheckpointMeta | undefined = full.data ?? history.selected;
  const parent = parentOf(history, meta);
  const pinned = pinnedBase(task, search, history);
  const usual = useUsualBase(meta, parent, history, pinned === undefined ? search.since : 'step');
  const base = pinned ?? usual.base;
  const baseMeta = useQuery({
    ...checkpointQuery(base ? toAddress(store, base) : NOWHERE),
    enabled: base !== undefined,
  });
  const isHere = useIsHere();
  const change = (part: Partial<WorkbenchSearch>, push = false): void => {
    if (isHere()) void navigate({ search: (before) => ({ ...before, ...part }), replace: !push });
  };
  const info = useStore(store);
  // Without an answer there may be one yet; without a checkpoint there will be none.
  const settled = at === undefined ? history.tree !== undefined || history.treeFailed : full.isFetched || full.isError;
  const views = useStateViews({ system: info?.system, meta, settled, asked: search.view });
  const tabs = tabsOf(views, search.view);
  const opened: View = (base ?? parent) === undefined || meta?.problem ? 'state' : 'changes';
  const view = search.view !== undefined && tabs.includes(search.view) ? search.view : opened;
  const rules = rulesFor(rulesOf(search.rules), info, useSettings().ignore);
  const diff = useQuery({
    ...diffQuery(base ? toAddress(store, base) : NOWHERE, at ?? NOWHERE, rules),
    enabled: at !== undefined && base !== undefined && view === 'changes',
  });
  return {
    store,
    task,
    search,
    info,
    history,
    at,
    meta,
    /** True once the hash is known, or cannot be. */
    settled,
    error: full.error,
    parent,
    base,
    baseMeta: baseMeta.data,
    pinned: pinned !== undefined,
    /** The last good checkpoint, where it is not the parent. */
    good: usual.good,
    /** True while it is not yet known from where the changes of a failed checkpoint are shown. */
    awaitsBase: usual.awaited,
    views,
    tabs,
    view,
    rules,
    diff,
    /** The focused path; without one the change that tells most is looked at. */
    path: search.path ?? (view === 'changes' ? firstChange(diff.data?.items)?.path : undefined),
    change,
    select: (ref: CheckpointRef): void => change({ ...selection(ref), follow: undefined }),
  };
}

/** So long the changes of a failed checkpoint wait for the answer where to begin. */
const LATE_MS = 10_000;

/** A failed checkpoint is compared with the last good one, every other with its parent. */
function useUsualBase(
  meta: CheckpointMeta | undefined,
  parent: CheckpointRef | undefined,
  history: History,
  since: WorkbenchSearch['since'],
) {
  const failed = meta?.status === 'failed' && meta.problem === undefined ? meta : undefined;
  const answer = useExplanation(failed);
  const isAsked = failed !== undefined && answer.isPending;
  const key = failed === undefined ? '' : `${failed.store}/${failed.taskId}/${failed.namespace ?? ''}/${failed.id}`;
  const isLate = useLate(key, isAsked, LATE_MS);
  const lastGood = failed && answer.data?.lastGood;
  const isParent = lastGood !== undefined && parent !== undefined && sameRef(lastGood, parent);
  // An answer from before a change may name a checkpoint that is gone.
  const isGone =
    lastGood !== undefined &&
    history.tree !== undefined &&
    lastGood.task === failed?.taskId &&
    present(history, lastGood.id, lastGood.namespace) === undefined;
  const good = lastGood === undefined || lastGood.back === 0 || isParent || isGone ? undefined : lastGood;
  const awaited = isAsked && !isLate;
  const isSince = good !== undefined && since !== 'step' && (since === 'good' || !isLate);
  const isKnown = since === 'step' || !awaited;
  return { base: isSince ? good : isKnown ? parent : undefined, good, awaited };
}

export type Workbench = ReturnType<typeof useWorkbench>;

/** A ref as search params. */
export const selection = (ref: CheckpointRef): Pick<WorkbenchSearch, 'cp' | 'ns'> => ({
  cp: ref.id,
  ns: ref.namespace,
});

/** A base as search params; the task is named only where it is another one. */
export const baseSelection = (
  ref: CheckpointRef,
  task: string,
): Pick<WorkbenchSearch, 'base' | 'basens' | 'basetask'> => ({
  base: ref.id,
  basens: ref.namespace,
  basetask: ref.task === task ? undefined : ref.task,
});

function selectedAddress(store: string, task: string, search: WorkbenchSearch, history: History): Address | undefined {
  if (history.selected) return addressOf(history.selected);
  if (search.cp === undefined) return undefined;
  const ref =
    present(history, search.cp, search.ns) ?? (history.treeFailed ? refAt(task, search.cp, search.ns) : undefined);
  return ref && toAddress(store, ref);
}

/** The base of the address, unless the task holds it no more. */
function pinnedBase(task: string, search: WorkbenchSearch, history: History): CheckpointRef | undefined {
  if (search.base === undefined) return undefined;
  const ref = refAt(search.basetask ?? task, search.base, search.basens);
  return ref.task !== task || history.tree === undefined ? ref : present(history, ref.id, search.basens);
}

/** The checkpoint as the tree of the task has it. What is gone is not asked for. */
function present({ tree }: History, id: string, namespace: string | undefined): CheckpointRef | undefined {
  return tree && nodeSelected(tree, id, namespace)?.ref;
}

/** The parent as the tree knows it, else as the row says; none where it is gone. */
function parentOf({ tree, nodeOf }: History, meta: CheckpointMeta | undefined): CheckpointRef | undefined {
  if (!meta) return undefined;
  const node = nodeOf?.(refOf(meta));
  if (node) {
    const parent = node.parent === undefined ? undefined : tree?.nodes[node.parent];
    return parent === undefined || parent.ghost === 'missing' ? undefined : parent.ref;
  }
  if (meta.parentId === undefined) return undefined;
  return { ...refOf(meta), id: meta.parentId, task: meta.parentTaskId ?? meta.taskId };
}

/** Stored bytes up to which a state is looked into only to know which tabs apply. */
const LOOK_BYTES = 256_000;
const REST_MS = 120;

interface KnownViews extends StateViews {
  /** Of this checkpoint; else of the one before it, or not known. */
  readonly current: boolean;
  readonly loading: boolean;
}

interface Wanted {
  readonly system: string | undefined;
  readonly meta: CheckpointMeta | undefined;
  readonly settled: boolean;
  readonly asked: View | undefined;
}

/** Chat and plan of the selected checkpoint; those of the one before it stay until they are known. */
function useStateViews({ system, meta, settled, asked }: Wanted): KnownViews {
  const at = meta ? addressOf(meta) : NOWHERE;
  const place = `${at.store}/${at.task}/${at.id}`;
  // Stepping quickly through a history reads no states on the way.
  const rested = useRested(place, REST_MS) === place;
  const needed = asked === 'chat' || asked === 'plan';
  const readable = meta !== undefined && meta.problem === undefined && system !== undefined;
  const query = useQuery({
    ...viewsQuery(system ?? '', at, meta?.revision),
    enabled:
      readable &&
      settled &&
      !isLarge(meta) &&
      (needed || (rested && (asked === 'state' || stateBytesOf(meta) <= LOOK_BYTES))),
    placeholderData: (before, from) =>
      from?.queryKey[1] === at.store && from.queryKey[2] === at.task ? before : undefined,
  });
  const known = readable ? query.data : undefined;
  return {
    ...known,
    current: known !== undefined && !query.isPlaceholderData,
    loading: query.isFetching || (needed && readable && known === undefined && !query.isError),
  };
}

/** The tabs that apply. One that the address asks for is there until it is known that it does not. */
function tabsOf(views: KnownViews, asked: View | undefined): readonly View[] {
  const hoped = (view: View): boolean => asked === view && views.loading && !views.current;
  return VIEWS.filter((view) => {
    if (view === 'chat') return views.chat !== undefined || hoped(view);
    if (view === 'plan') return views.plan !== undefined || hoped(view);
    return true;
  });
}
