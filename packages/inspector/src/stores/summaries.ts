/** The line "what changed" beside a checkpoint, worked out on the server and kept in memory only. */
import { compact, diffJson, InspectorError, refKey, refOfMeta, summaryLine } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, Page, State } from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { errorLineOf, type ReadState } from './error-line.ts';

export type Summaries = ReturnType<typeof createSummaries>;

type ListedCheckpoint = CheckpointMeta & Partial<Told>;

/** Against the parent: in one line, and how many differences there are. */
interface Summary {
  readonly summary: string;
  readonly changes: number;
}

interface Told extends Partial<Summary> {
  /** Of a failed one, in the words of its system. */
  readonly error?: string;
}

const MAX_STATE_BYTES = 1_000_000;
/** Where the size in a row isn't that of its state: what is longer isn't compared, so it isn't read either. */
const SMALL = { mostCharacters: MAX_STATE_BYTES } as const;
const BUDGET_MS = 400;
const CACHED = 20_000;

export function createSummaries(options: { budgetMs?: number; now?: () => number } = {}) {
  const { budgetMs = BUDGET_MS, now = () => performance.now() } = options;
  const compared = createKept<Summary>();
  const told = createKept<Told>();

  const compare = (before: State, after: State, ignore: readonly string[], beside: string): Summary => {
    const key = `${before.revision} ${after.revision} ${ignore.join(' ')} ${beside}`;
    const known = compared.get(key);
    if (known !== undefined) return known;
    const diff = diffJson(before.text, after.text, { ignore });
    return compared.set(key, { summary: summaryLine(diff, beside), changes: diff.items.length });
  };

  const summarise = async (source: CheckpointSource, meta: CheckpointMeta, read: ReadState) => {
    const parent = parentOf(meta);
    if (parent === undefined || meta.problem !== undefined) return undefined;
    const ignore = source.info.volatilePaths;
    const own = { source, ref: refOfMeta(meta) };
    const beside = meta.description ?? '';
    const diff = await storedDiff({ source, ref: parent }, own, { ignore }).catch(ifUnreadable);
    if (diff !== undefined) return { summary: summaryLine(diff, beside), changes: diff.items.length };
    const [before, after] = [await read(parent), await read(refOfMeta(meta))];
    if (before === undefined || after === undefined) return undefined;
    if (Math.max(before.text.length, after.text.length) >= MAX_STATE_BYTES) return undefined;
    return compare(before, after, ignore, beside);
  };

  const tell = async (source: CheckpointSource, meta: CheckpointMeta, read: ReadState): Promise<Told> => ({
    ...(await summarise(source, meta, read)),
    ...compact({ error: await errorLineOf(source, meta, read) }),
  });

  return {
    /** The page with summaries where they were cheap to tell; the others follow on a later call. */
    async fill(source: CheckpointSource, page: Page<CheckpointMeta>): Promise<Page<ListedCheckpoint>> {
      const keys = await keysOf(source, page.items);
      const deadline = now() + budgetMs;
      const read = readOnce(source, page.items);
      const items: ListedCheckpoint[] = [];
      for (const [at, meta] of page.items.entries()) {
        const key = keys[at];
        const known = key === undefined ? undefined : told.get(key);
        // What is known costs nothing, so it never falls to the time limit.
        if (known !== undefined || now() > deadline) {
          items.push({ ...meta, ...known });
          continue;
        }
        // One pause per row keeps other requests moving.
        await new Promise((resolve) => setImmediate(resolve));
        const fresh = await tell(source, meta, read);
        if (key !== undefined && fresh.summary !== undefined) told.set(key, fresh);
        items.push({ ...meta, ...fresh });
      }
      return { ...page, items };
    },
  };
}

/** An unreadable state has no summary; its text says why. */
function ifUnreadable(cause: unknown): undefined {
  if (!InspectorError.is(cause)) throw cause;
}

/** The newest entries, a bounded number of them. */
function createKept<T>() {
  const kept = new Map<string, T>();
  return {
    get: (key: string) => kept.get(key),
    set(key: string, value: T): T {
      const oldest = kept.size >= CACHED ? kept.keys().next().value : undefined;
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
