/**
 * The one way by which an agent saves over MCP. A client saves to its own tasks, and to what a grant names; anything else
 * becomes a proposal. What others wrote goes to the trash before the store's limit can take it.
 */
import {
  InspectorError,
  refusedEvictions,
  sameRef,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type NewCheckpoint,
} from '@checkpoint-inspector/core';
import {
  ownPlaceOf,
  storedRevision,
  type AgentRecords,
  type ChangeService,
  type TaskPlace,
} from '@checkpoint-inspector/changes';
import type { StoreService } from '../stores/types.ts';

/**
 * Checkpoints of others that one client's saves may move to the trash of one store before a person looks: enough for a full
 * session of every system known (ctx-sys keeps 10), few enough to be brought back one by one.
 */
export const MAX_TRASHED = 100;
/** A writer that saves at the same time may take the room that was made; after so many times a person decides. */
const ATTEMPTS = 5;

export type Savable = CheckpointSource & Required<Pick<CheckpointSource, 'save'>>;

export interface GateSave {
  readonly source: Savable;
  readonly at: TaskPlace;
  readonly client: string;
  readonly checkpoint: NewCheckpoint;
  /** The checkpoints of others that a person has seen would go to the trash; there is no bound then. */
  readonly decided?: readonly CheckpointRef[];
}

/** `receipts` of what made room; or why a person has to decide, and nothing is changed. */
export type GateAnswer =
  | { readonly meta: CheckpointMeta; readonly receipts: readonly string[] }
  | { readonly reason: string };

export interface GateDeps {
  readonly changes: Pick<ChangeService, 'preview' | 'apply' | 'undo'>;
  readonly records: AgentRecords;
}

/**
 * Saves. What the client saved itself is evicted as the store's rule says; what others wrote goes to the trash first, and
 * comes back if nothing is saved.
 * @throws InspectorError as the store's `save`
 * @example const answer = await saveThroughGate({ changes, records }, { source, at, client: 'claude', checkpoint });
 */
export async function saveThroughGate(deps: GateDeps, save: GateSave): Promise<GateAnswer> {
  const receipts: string[] = [];
  const takeBack = async (): Promise<void> => {
    // What can't be brought back now is in the trash, with its receipt.
    for (const receipt of receipts.toReversed()) await deps.changes.undo(receipt).catch(() => undefined);
  };
  try {
    const answer = await attempt(deps, save, receipts);
    if ('reason' in answer) await takeBack();
    return answer;
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** By what a store is known in the journal, whatever it is called; a place may be that of several, such as the projects of a file. */
export function placeIn(stores: Pick<StoreService, 'list' | 'source'>, { info }: CheckpointSource): string {
  const open = () => stores.list().map(({ id }) => id);
  const place = ownPlaceOf({ sources: (store) => stores.source(store), open }, info.id);
  return typeof place === 'string' ? place : (place?.[0] ?? `${info.identity ?? 'store'} ${info.id}`);
}

async function attempt(deps: GateDeps, save: GateSave, receipts: string[]): Promise<GateAnswer> {
  const { source, checkpoint } = save;
  let own: readonly CheckpointRef[] = [];
  const trashed: CheckpointRef[] = [];
  for (let left = ATTEMPTS; left > 0; left--) {
    try {
      const meta = await source.save(checkpoint, { ifExists: 'refuse', mayEvict: own });
      await note(deps.records, save, { meta, evicted: own, trashed, receipts });
      return { meta, receipts };
    } catch (error) {
      const evicts = refusedEvictions(error);
      if (evicts === undefined) throw error;
      own = await ownOf(deps.records, save, evicts);
      const others = evicts.filter((ref) => !own.includes(ref));
      if (others.length === 0) continue;
      checkDecided(save, others);
      if (save.decided === undefined && isOver(deps.records, save, others.length)) return { reason: OVER };
      await trash(deps, save, { refs: others, receipts });
      trashed.push(...others);
    }
  }
  return { reason: 'Another program saves to this task at the same time.' };
}

const OVER = `Saves of this client have already moved ${MAX_TRASHED} checkpoints of others to the trash of this store.`;

const isOver = (records: AgentRecords, { client, at }: GateSave, more: number): boolean =>
  records.trashedBy(client, at.store) + more > MAX_TRASHED;

/** What a person decided counts for no client. */
const BY_PERSON = '';

/** @throws InspectorError changed */
function checkDecided({ decided }: GateSave, others: readonly CheckpointRef[]): void {
  if (decided === undefined || others.every((ref) => decided.some((one) => sameRef(one, ref)))) return;
  throw new InspectorError('changed', 'This save would now evict other checkpoints than its plan says.');
}

/** Of these what the client saved itself, and nobody has saved over since. */
export async function ownOf(
  records: AgentRecords,
  { source, at, client }: Pick<GateSave, 'source' | 'at' | 'client'>,
  refs: readonly CheckpointRef[],
): Promise<CheckpointRef[]> {
  const saves = records.savesOf(at, client);
  const own: CheckpointRef[] = [];
  for (const ref of refs) {
    const revision = ref.namespace ? undefined : saves.get(ref.id);
    if (revision !== undefined && (await storedRevision(source, ref)) === revision) own.push(ref);
  }
  return own;
}

/** Where the store has changed since it was asked, it is asked again. */
const CHANGED = new Set(['changed', 'head_moved', 'not_found']);

async function trash(
  { changes, records }: GateDeps,
  { source, at, client, decided }: GateSave,
  { refs, receipts }: { readonly refs: readonly CheckpointRef[]; readonly receipts: string[] },
): Promise<void> {
  try {
    const plan = await changes.preview(source.info.id, { kind: 'delete', refs });
    const receipt = await changes.apply(plan.id);
    receipts.push(receipt.id);
    records.trashed(at, decided === undefined ? client : BY_PERSON, receipt.id);
  } catch (error) {
    if (!CHANGED.has(InspectorError.from(error).code)) throw error;
  }
}

interface Noted {
  readonly meta: CheckpointMeta;
  readonly evicted: readonly CheckpointRef[];
  readonly trashed: readonly CheckpointRef[];
  readonly receipts: readonly string[];
}

/**
 * The store's rule has put its latest above all that this save took out. So what was moved to the trash can be put back
 * without becoming the latest, also when the checkpoint that stood above it has been evicted itself. What is not noted is
 * taken for another's, and goes to the trash before it is evicted: no reason to call the save failed.
 */
async function note(
  records: AgentRecords,
  { source, at, client }: GateSave,
  { meta, evicted, trashed, receipts }: Noted,
): Promise<void> {
  const saved = { task: at.task, id: meta.id };
  try {
    const revision = meta.revision ?? (await storedRevision(source, saved));
    if (revision !== undefined)
      records.saved(at, client, { id: meta.id, revision, evicted: evicted.map(({ id }) => id) });
    if (receipts.length + evicted.length === 0) return;
    const { ref = saved } = await source.latest(at.task);
    const state = await source.state(ref);
    if (state) records.raise(at, { ref, revision: state.revision }, { receipts, evicted: [...evicted, ...trashed] });
  } catch (error) {
    process.emitWarning(`A save could not be noted: ${String(error)}`);
  }
}
