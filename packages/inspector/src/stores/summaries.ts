/** The line "what changed" beside a checkpoint, worked out on the server and kept in memory only. */
import { diffJson, refKey, refOfMeta, summaryLine } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, Page, State } from '@checkpoint-inspector/core';

export type Summaries = ReturnType<typeof createSummaries>;

type ListedCheckpoint = CheckpointMeta & Partial<Summary>;

/** Against the parent: in one line, and how many differences there are. */
interface Summary {
  readonly summary: string;
  readonly changes: number;
}

const MAX_STATE_BYTES = 1_000_000;
const BUDGET_MS = 400;
const CACHED = 20_000;

type ReadState = (ref: CheckpointRef) => Promise<State | undefined>;

export function createSummaries(options: { budgetMs?: number; now?: () => number } = {}) {
  const { budgetMs = BUDGET_MS, now = () => performance.now() } = options;
  const cache = new Map<string, Summary>();

  const compare = (before: State, after: State, ignore: readonly string[]): Summary => {
    const key = `${before.revision} ${after.revision} ${ignore.join(' ')}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const diff = diffJson(before.text, after.text, { ignore });
    const summary = { summary: summaryLine(diff), changes: diff.items.length };
    const oldest = cache.size >= CACHED ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(key, summary);
    return summary;
  };

  const summarise = async (meta: CheckpointMeta, read: ReadState, ignore: readonly string[]) => {
    const parent = parentOf(meta);
    if (parent === undefined || meta.problem !== undefined) return undefined;
    const [before, after] = [await read(parent), await read(refOfMeta(meta))];
    if (before === undefined || after === undefined) return undefined;
    if (Math.max(before.text.length, after.text.length) >= MAX_STATE_BYTES) return undefined;
    return compare(before, after, ignore);
  };

  return {
    /** The page with summaries where they were cheap to tell; the others follow on a later call. */
    async fill(source: CheckpointSource, page: Page<CheckpointMeta>): Promise<Page<ListedCheckpoint>> {
      const deadline = now() + budgetMs;
      const read = readOnce(source, page.items);
      const items: ListedCheckpoint[] = [];
      for (const meta of page.items) {
        // One pause per row keeps other requests moving.
        await new Promise((resolve) => setImmediate(resolve));
        const summary = now() > deadline ? undefined : await summarise(meta, read, source.info.volatilePaths);
        items.push({ ...meta, ...summary });
      }
      return { ...page, items };
    },
  };
}

/** A row's state is its own and the next row's parent: it is read once. An unreadable one has no summary. */
function readOnce(source: CheckpointSource, listed: readonly CheckpointMeta[]): ReadState {
  const known = new Set(listed.map((meta) => refKey(refOfMeta(meta))));
  const tooLarge = listed.filter((meta) => meta.sizeBytes >= MAX_STATE_BYTES).map((meta) => refKey(refOfMeta(meta)));
  const states = new Map<string, Promise<State | undefined>>(tooLarge.map((key) => [key, Promise.resolve(undefined)]));
  return (ref) => {
    const key = refKey(ref);
    const state =
      states.get(key) ?? (known.has(key) ? source.state(ref) : smallState(source, ref)).catch(() => undefined);
    states.set(key, state);
    return state;
  };
}

/** A parent that is not on the page: its size is looked up first. */
async function smallState(source: CheckpointSource, ref: CheckpointRef): Promise<State | undefined> {
  const meta = await source.meta(ref);
  return meta === undefined || meta.sizeBytes >= MAX_STATE_BYTES ? undefined : source.state(ref);
}

function parentOf(meta: CheckpointMeta): CheckpointRef | undefined {
  if (meta.parentId === undefined) return undefined;
  return { ...refOfMeta(meta), task: meta.parentTaskId ?? meta.taskId, id: meta.parentId };
}
