/** A bundle as a store that is only read. */
import { compact } from '../compact.ts';
import type { CallOptions, CheckpointSource, CheckpointStore, PageQuery, TaskPage, TaskQuery } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { sha256Hex } from '../hash.ts';
import { noCheckpoint, refKey, refOfMeta } from '../ids.ts';
import type { CheckpointMeta, CheckpointRef, Latest, LineageRow, Page, State, StoreInfo, Task } from '../model.ts';
import { sortedPage } from '../page.ts';
import { aText, besideOf, recordOf, savedOf, type Fields } from './fields.ts';
import type { BundleHead } from './format.ts';
import type { BundleRow, ReadBundle } from './read.ts';

const WHY_NOT =
  'A bundle is only read. To change or continue its tasks, copy it into a store: checkpoint-inspector import <bundle> <store>.';

/** What is said of a bundle on every screen: what it comes from, who made it, and what isn't in it. */
export function bundleInfo(
  names: Pick<StoreInfo, 'id' | 'label' | 'location' | 'identity'>,
  { head, tasks }: ReadBundle<unknown>,
): StoreInfo {
  const count = tasks.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    ...names,
    system: head.store.system,
    latestRule: head.store.latestRule,
    volatilePaths: head.store.volatilePaths,
    indexed: { n: count, of: count },
    capabilities: { restore: WHY_NOT, fork: WHY_NOT, edit: WHY_NOT, delete: WHY_NOT },
    notes: [originOf(head), maskedOf(head), ...head.leftOut],
  };
}

function originOf({ store, madeBy, exportedAt }: BundleHead): string {
  const when = exportedAt === undefined ? '' : ` on ${exportedAt.slice(0, 10)}`;
  return `A bundle of "${store.label}" (${store.system}), made${when} by ${madeBy ?? 'an unnamed program'}.`;
}

function maskedOf({ redacted, masked }: BundleHead): string {
  const shapes = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  if (!redacted) return `Secrets are in it as they were stored${shapes === '' ? '' : `: ${shapes}`}.`;
  return shapes === '' ? 'No known kinds of secrets were found in it.' : `Masked when it was made: ${shapes}.`;
}

/** Newest first, ties by id. */
function inOrder(a: Pick<Task, 'updatedAt' | 'id'>, b: Pick<Task, 'updatedAt' | 'id'>): number {
  const [own, other] = [timeOf(a.updatedAt), timeOf(b.updatedAt)];
  if (own !== other) return own > other ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

const timeOf = (text: string | undefined): number => (text ? Date.parse(text) : -Infinity);

type Read<Place> = (place: Place, options: CallOptions) => Promise<unknown>;
type Load = CheckpointStore['load'];

/**
 * Everything but the states is in memory.
 * @example const source = new BundleSource(bundleInfo(names, bundle), bundle, async (checkpoint) => checkpoint);
 */
export class BundleSource<Place> implements CheckpointSource {
  readonly info: StoreInfo;
  readonly beside?: NonNullable<CheckpointSource['beside']>;
  /** Of a store of our own: what a copy needs to be the same. */
  readonly load?: Load;
  readonly #tasks: readonly Task[];
  readonly #oldestFirst: ReadonlyMap<string, readonly BundleRow<Place>[]>;
  readonly #rows = new Map<string, BundleRow<Place>>();
  readonly #read: Read<Place>;

  /** @param read gives the whole checkpoint at a place, as it is in the bundle */
  constructor(info: StoreInfo, { tasks, keeps }: ReadBundle<Place>, read: Read<Place>) {
    this.info = info;
    this.#read = read;
    this.#tasks = tasks.map(({ task }) => task).toSorted(inOrder);
    this.#oldestFirst = new Map(tasks.map(({ task, rows }) => [task.id, rows]));
    for (const row of tasks.flatMap(({ rows }) => rows)) this.#rows.set(refKey(refOfMeta(row.meta)), row);
    if (keeps.beside) this.beside = async (ref, options) => besideOf((await this.#whole(ref, options))?.['beside']);
    if (keeps.saved) this.load = (ref, options) => this.#load(ref, options);
  }

  async tasks({ text = '', signal, ...query }: TaskQuery = {}): Promise<TaskPage> {
    signal?.throwIfAborted();
    const wanted = text.toLowerCase();
    const found = this.#tasks.filter(({ id, title }) => [id, title].some((one) => one.toLowerCase().includes(wanted)));
    const page = sortedPage(found, {
      ...query,
      placeOf: ({ updatedAt = '', id }) => [updatedAt, id],
      isAfter: (task, [updatedAt = '', id = '']) => inOrder(task, { updatedAt, id }) > 0,
    });
    return { ...page, of: found.length };
  }

  async checkpoints(task: string, { around, signal, ...query }: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    signal?.throwIfAborted();
    const listed = (this.#oldestFirst.get(task) ?? []).map(({ meta }, place) => ({ meta, place })).toReversed();
    const at = around && listed.findIndex(({ meta }) => refKey(refOfMeta(meta)) === refKey(around));
    if (around && at === -1) throw noCheckpoint(around);
    const page = sortedPage(listed, {
      ...query,
      around: at,
      placeOf: ({ place }) => [String(place)],
      isAfter: ({ place }, [before]) => place < Number(before),
    });
    return { ...page, items: page.items.map(({ meta }) => meta) };
  }

  async *lineage(task: string, { signal }: CallOptions = {}): AsyncGenerator<LineageRow> {
    signal?.throwIfAborted();
    for (const row of (this.#oldestFirst.get(task) ?? []).toSorted((a, b) => a.meta.seq - b.meta.seq)) {
      signal?.throwIfAborted();
      yield edgeOf(row);
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    return this.#row(ref, options)?.meta;
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    const problem = this.#row(ref, options)?.meta.problem;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref } });
    const checkpoint = await this.#whole(ref, options);
    return checkpoint && stateOf(recordOf(checkpoint['state']));
  }

  /** What the bundle has of it: the text of the state, else the whole entry, which says why there is none. */
  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    const entry = await this.#whole(ref, options);
    if (entry === undefined) return undefined;
    const { text } = recordOf(entry['state']);
    return new TextEncoder().encode(typeof text === 'string' ? text : JSON.stringify(entry));
  }

  async latest(task: string, { signal }: CallOptions = {}): Promise<Latest> {
    signal?.throwIfAborted();
    const latest = this.#oldestFirst.get(task)?.find(({ meta }) => meta.isLatest);
    return latest === undefined ? { basis: 'none' } : { ref: refOfMeta(latest.meta), basis: 'rule' };
  }

  async find(id: string, { signal }: CallOptions = {}): Promise<readonly CheckpointRef[]> {
    signal?.throwIfAborted();
    return [...this.#rows.values()].flatMap(({ meta }) => (meta.id === id ? [refOfMeta(meta)] : []));
  }

  #row(ref: CheckpointRef, options?: CallOptions): BundleRow<Place> | undefined {
    options?.signal?.throwIfAborted();
    return this.#rows.get(refKey(ref));
  }

  async #whole(ref: CheckpointRef, options: CallOptions = {}): Promise<Fields | undefined> {
    const row = this.#row(ref, options);
    return row && recordOf(await this.#read(row.place, options));
  }

  async #load(ref: CheckpointRef, options?: CallOptions): ReturnType<Load> {
    const [row, state] = [this.#row(ref, options), await this.state(ref, options)];
    if (row === undefined || state === undefined) return undefined;
    const saved = savedOf((await this.#whole(ref, options))?.['saved']) ?? { writes: [] };
    const { meta, parent } = row;
    return { ...state, ref: refOfMeta(meta), ...saved, ...compact({ parent, createdAt: meta.createdAt }) };
  }
}

/** @throws InspectorError unreadable, where the bundle was written over since it was opened */
async function stateOf(state: Fields): Promise<State> {
  const { text, hash, redacted, derived } = state;
  if (typeof text !== 'string')
    throw new InspectorError('unreadable', 'The bundle was written over since it was opened.', {
      remedy: 'Open it again.',
    });
  const kept = redacted === false && typeof hash === 'string' ? { sha256: hash } : {};
  return { text, revision: await sha256Hex(text), ...kept, ...compact({ derived: aText(derived) }) };
}

function edgeOf({ meta, parent }: BundleRow<unknown>): LineageRow {
  const { id, lineage: kind, status, seq, isLatest } = meta;
  const { namespace, createdAt: time, stepIndex, description } = meta;
  return {
    id,
    kind,
    status,
    seq,
    isLatest,
    ...compact({ namespace, parent, time, stepIndex, description, problem: meta.problem?.code }),
  };
}
