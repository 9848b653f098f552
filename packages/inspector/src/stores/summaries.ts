/** The line "what changed" beside a checkpoint, worked out on the server and kept in memory only. */
import {
  ChangeRoles,
  compact,
  diffJson,
  InspectorError,
  refKey,
  refOfMeta,
  summaryLine,
} from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, Diff, Page, State } from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { errorLineOf, type ReadState } from './error-line.ts';

export type Summaries = ReturnType<typeof createSummaries>;

type ListedCheckpoint = CheckpointMeta & Partial<Omit<Told, 'steps'>>;

/** Against the parent: in one line, and how many differences there are. */
interface Summary {
  readonly summary: string;
  readonly changes: number;
}

interface Told extends Partial<Summary> {
  /** Of a failed one, in the words of its system. */
  readonly error?: string;
  /** How many steps of its task were known when it was told. */
  readonly steps: number;
}

const MAX_STATE_BYTES = 1_000_000;
/** Where the size in a row isn't that of its state: what is longer isn't compared, so it isn't read either. */
const SMALL = { mostCharacters: MAX_STATE_BYTES } as const;
const BUDGET_MS = 400;
const CACHED = 20_000;
const TASKS_KEPT = 200;
/** More steps than this change nothing in what is known of a task. */
const MAX_OBSERVED = 1_000;
/** What was told by fewer steps is told again. */
const LEARNED = 32;
/** So many steps are looked at to know a task, or fewer large ones: never by time, for the same words at every load. */
const LOOKED_AT = 20;
const LOOKED_AT_BYTES = 4_000_000;
const ENOUGH = 4;

export function createSummaries(options: { budgetMs?: number; now?: () => number } = {}) {
  const { budgetMs = BUDGET_MS, now = () => performance.now() } = options;
  const told = createKept<Told>(CACHED);
  const learned = createKept<Learned>(TASKS_KEPT);

  const learnedOf = ({ info }: CheckpointSource, task: string): Learned => {
    const key = [info.identity ?? info.id, info.volatilePaths.join(' '), task].join('\n');
    return learned.get(key) ?? learned.set(key, { roles: new ChangeRoles(), observed: new Set() });
  };

  /** Rows whose summary isn't known, compared until the time is used up; then each in the light of all. */
  const tellFresh = async (source: CheckpointSource, rows: readonly Row[], read: ReadState, deadline: number) => {
    const fresh: { readonly row: Row; readonly diff: Diff | undefined; readonly error: string | undefined }[] = [];
    for (const row of rows) {
      if (now() > deadline) break;
      // One pause per row keeps other requests moving.
      await new Promise((resolve) => setImmediate(resolve));
      const task = learnedOf(source, row.meta.taskId);
      const diff = await compare(source, row.meta, read, task);
      if (diff !== undefined) observe(task, row.meta, diff.items);
      fresh.push({ row, diff, error: await errorLineOf(source, row.meta, read) });
    }
    return new Map(
      fresh.map(({ row: { meta, key }, diff, error }) => {
        const { roles } = learnedOf(source, meta.taskId);
        const summary = diff && { summary: summaryLine(diff, meta.description, roles), changes: diff.items.length };
        const words: Told = { ...summary, ...compact({ error }), steps: roles.steps };
        if (key !== undefined && summary !== undefined) told.set(key, words);
        return [meta, words];
      }),
    );
  };

  const summaries = {
    /** The page with summaries where they were cheap to tell; the others follow on a later call. */
    async fill(source: CheckpointSource, page: Page<CheckpointMeta>, most = budgetMs): Promise<Page<ListedCheckpoint>> {
      const keys = await keysOf(source, page.items);
      const deadline = now() + most;
      const rows = page.items.map((meta, at): Row => ({ meta, key: keys[at] }));
      const knownOf = ({ key }: Row): Told | undefined => (key === undefined ? undefined : told.get(key));
      const isOpen = (row: Row): boolean => {
        const known = knownOf(row);
        return known === undefined || isStale(known, learnedOf(source, row.meta.taskId).roles.steps);
      };
      const read = readOnce(source, page.items);
      const first = await tellFresh(source, rows.filter(isOpen), read, deadline);
      // What these steps taught may change what was said of the others.
      const others = rows.filter((row) => !first.has(row.meta) && isOpen(row));
      const fresh = new Map([...first, ...(await tellFresh(source, others, read, deadline))]);
      const items = rows.map((row): ListedCheckpoint => {
        // What is known costs nothing, so it never falls to the time limit.
        const { steps: _, ...words } = fresh.get(row.meta) ?? knownOf(row) ?? { steps: 0 };
        return { ...row.meta, ...words };
      });
      return { ...page, items };
    },
    /** What the changes of a task are about; learned from its newest steps where no rows have been asked for yet. */
    async rolesOf(source: CheckpointSource, task: string): Promise<ChangeRoles> {
      const { roles } = learnedOf(source, task);
      if (roles.steps >= ENOUGH) return roles;
      const page = await source.checkpoints(task, { limit: LOOKED_AT }).catch(ifUnreadable);
      if (page === undefined) return roles;
      let bytes = 0;
      const items = page.items.filter(({ sizeBytes }, at) => (bytes += sizeBytes) <= LOOKED_AT_BYTES || at <= ENOUGH);
      await summaries.fill(source, { items }, Number.POSITIVE_INFINITY);
      return roles;
    },
    /** As far as rows have been asked for: whoever is about to read a whole branch waits for nothing else. */
    knownRoles: (source: CheckpointSource, task: string): ChangeRoles => learnedOf(source, task).roles,
  };
  return summaries;
}

interface Row {
  readonly meta: CheckpointMeta;
  /** Absent: a later call can't know that it is the same. */
  readonly key: string | undefined;
}

interface Learned {
  readonly roles: ChangeRoles;
  /** Checkpoints that were counted; one that is saved again isn't another step. */
  readonly observed: Set<string>;
}

function observe({ roles, observed }: Learned, meta: CheckpointMeta, items: Diff['items']): void {
  const row = refKey(refOfMeta(meta));
  if (observed.has(row) || observed.size >= MAX_OBSERVED) return;
  observed.add(row);
  roles.observe(items);
}

/** Told when little was known of the task: by twice as many steps it may read differently. */
const isStale = ({ steps }: Told, known: number): boolean => steps < LEARNED && known >= 2 * Math.max(1, steps);

async function compare(
  source: CheckpointSource,
  meta: CheckpointMeta,
  read: ReadState,
  { roles, observed }: Learned,
): Promise<Diff | undefined> {
  const parent = parentOf(meta);
  if (parent === undefined || meta.problem !== undefined) return undefined;
  const ignore = source.info.volatilePaths;
  const own = refOfMeta(meta);
  const stored = await storedDiff({ source, ref: parent }, { source, ref: own }, { ignore }).catch(ifUnreadable);
  if (stored !== undefined) return stored;
  const [before, after] = [await read(parent), await read(own)];
  if (before === undefined || after === undefined) return undefined;
  if (Math.max(before.text.length, after.text.length) >= MAX_STATE_BYTES) return undefined;
  if (observed.size === 0) roles.observeState(before.text);
  return diffJson(before.text, after.text, { ignore });
}

/** An unreadable state has no summary; its text says why. */
function ifUnreadable(cause: unknown): undefined {
  if (!InspectorError.is(cause)) throw cause;
}

/** The newest entries, a bounded number of them. */
function createKept<T>(most: number) {
  const kept = new Map<string, T>();
  return {
    get: (key: string) => kept.get(key),
    set(key: string, value: T): T {
      const oldest = kept.size >= most ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(key, value);
      return value;
    },
  };
}

/** Where both revisions are known without a state, the answer is known by them; a place saved again has another. */
async function keysOf(source: CheckpointSource, metas: readonly CheckpointMeta[]): Promise<(string | undefined)[]> {
  const { id, identity, volatilePaths } = source.info;
  const revisions = new Map(metas.map((meta) => [refKey(refOfMeta(meta)), meta.revision]));
  const revisionOf = async (ref: CheckpointRef): Promise<string | undefined> => {
    const key = refKey(ref);
    if (!revisions.has(key)) revisions.set(key, (await source.meta(ref).catch(() => undefined))?.revision);
    return revisions.get(key);
  };
  const store = `${identity ?? id}\n${volatilePaths.join(' ')}`;
  const keys: (string | undefined)[] = [];
  for (const meta of metas) {
    const parent = parentOf(meta);
    const [own, before] = [meta.revision, parent && meta.revision !== undefined && (await revisionOf(parent))];
    const isKnown = own !== undefined && parent !== undefined && typeof before === 'string';
    const where = refKey(refOfMeta(meta));
    keys.push(isKnown ? [store, where, own, refKey(parent), before, meta.status].join('\n') : undefined);
  }
  return keys;
}

/** A row's state is its own and the next row's parent: it is read once. An unreadable one has no summary. */
function readOnce(source: CheckpointSource, listed: readonly CheckpointMeta[]): ReadState {
  const known = new Set(listed.map((meta) => refKey(refOfMeta(meta))));
  const tooLarge = listed.filter((meta) => meta.sizeBytes >= MAX_STATE_BYTES).map((meta) => refKey(refOfMeta(meta)));
  const states = new Map<string, Promise<State | undefined>>(tooLarge.map((key) => [key, Promise.resolve(undefined)]));
  return (ref) => {
    const key = refKey(ref);
    const state =
      states.get(key) ?? (known.has(key) ? source.state(ref, SMALL) : smallState(source, ref)).catch(() => undefined);
    states.set(key, state);
    return state;
  };
}

/** A parent that is not on the page: its size is looked up first. */
async function smallState(source: CheckpointSource, ref: CheckpointRef): Promise<State | undefined> {
  const meta = await source.meta(ref);
  return meta === undefined || meta.sizeBytes >= MAX_STATE_BYTES ? undefined : source.state(ref, SMALL);
}

function parentOf(meta: CheckpointMeta): CheckpointRef | undefined {
  if (meta.parentId === undefined) return undefined;
  return { ...refOfMeta(meta), task: meta.parentTaskId ?? meta.taskId, id: meta.parentId };
}
