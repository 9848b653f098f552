/** A checkpointer of LangGraph over any store of ours. */
import { inspect } from 'node:util';
import {
  BaseCheckpointSaver,
  maxChannelVersion,
  WRITES_IDX_MAP,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import {
  compact,
  everyItem,
  InspectorError,
  refIn,
  refOfMeta,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointStore,
  type SavedCheckpoint,
  type Trigger,
} from '@checkpoint-inspector/core';
import { KnownValues } from './known-values.ts';
import { nextNodes, nodesThatRan } from './shape.ts';
import { dumpText, ENVELOPE, loadText } from './typed.ts';

type Config = Parameters<BaseCheckpointSaver['getTuple']>[0];
type VersionsSeen = Checkpoint['versions_seen'];

const TASKS = '__pregel_tasks';
const TRIGGERS: Readonly<Record<string, Trigger>> = { input: 'input', loop: 'auto', update: 'update', fork: 'fork' };

/** What is kept beside the channel values. */
interface BesideText extends Omit<Checkpoint, 'id' | 'ts' | 'channel_values'> {
  /** Only where the store's own time of the checkpoint can't say it. */
  readonly ts?: string;
  readonly metadata: string;
  readonly next: readonly string[];
  readonly needsParents?: true;
}

/** LangGraph's threads in a store of ours: a checkpoint adds what is new in it. */
export class StoreSaver extends BaseCheckpointSaver {
  readonly store: CheckpointStore;
  /** What the newest checkpoint of each namespace has seen: it tells which nodes ran for the next one. */
  readonly #seen = new Map<string, { readonly id: string; readonly seen: VersionsSeen }>();

  /** LangGraph's serializer writes each channel as it would be written with the others; of another one that isn't known. */
  readonly #known: KnownValues | undefined;

  /** @throws InspectorError invalid_input unless it is an open store that keeps all checkpoints */
  constructor(store: CheckpointStore, serde?: SerializerProtocol) {
    super(serde);
    checkStore(store);
    this.store = store;
    if (serde === undefined) this.#known = new KnownValues();
  }

  async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const { task, namespace, id } = placeOf(config);
    if (task === undefined) return undefined;
    const ref =
      id === undefined ? await this.#latest(task, namespace ?? '') : refIn(task, { namespace: namespace ?? '', id });
    const saved = ref && (await this.store.load(ref));
    return saved && this.#tuple(saved);
  }

  async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const filter = Object.entries(options.filter ?? {}).filter(([, value]) => value !== undefined);
    let left = options.limit ?? Infinity;
    for (const meta of await this.#listed(config, options.before)) {
      if (left <= 0) return;
      const saved = await this.store.load(refOfMeta(meta));
      const tuple = saved && (await this.#tuple(saved));
      if (!tuple || !filter.every(([key, value]) => isSame(Object(tuple.metadata)[key], value))) continue;
      left -= 1;
      yield tuple;
    }
  }

  /** All that is to be saved is taken before anything is awaited: meanwhile a node may change its state in place. */
  async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<Config> {
    const { task, namespace = '', id: parentId } = placeOf(config);
    if (task === undefined) throw missing('thread_id');
    const { id, ts, channel_values: values, ...rest } = checkpoint;
    const thread = JSON.stringify([task, namespace]);
    const parent = parentId === undefined ? undefined : refIn(task, { namespace, id: parentId });
    const isOwnTime = isIsoTime(ts);
    const next = nextNodes(checkpoint);
    const source = metadata?.source;
    const seen = structuredClone(checkpoint.versions_seen);
    const taken: Omit<BesideText, 'metadata'> = {
      ...rest,
      channel_versions: { ...checkpoint.channel_versions },
      versions_seen: seen,
      ...(isOwnTime ? {} : { ts }),
      next,
      ...(Object.keys(metadata?.counters_since_delta_snapshot ?? {}).length > 0 ? { needsParents: true } : {}),
    };
    const told = compact({
      stepIndex: typeof metadata?.step === 'number' ? metadata.step : undefined,
      trigger: TRIGGERS[source],
      createdAt: isOwnTime ? ts : undefined,
      ...(parent ? { parent } : {}),
    });
    const [value, metadataText, before] = await Promise.all([
      this.#valueOf(thread, values),
      dumpText(this.serde, metadata),
      this.#seenAt(parent),
    ]);
    const ran = nodesThatRan(seen, before);
    const description = compact({ description: ran.length > 0 ? ran.join(', ') : source });
    const beside: BesideText = { ...taken, metadata: metadataText };
    const status = next.length > 0 ? ('running' as const) : ('completed' as const);
    const saved = { task, namespace, id, value, beside: JSON.stringify(beside), status, ...description, ...told };
    await this.store.save(saved, { immutable: true });
    this.#seen.set(thread, { id, seen });
    return configOf(refIn(task, { namespace, id }));
  }

  async putWrites(config: Config, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const { task, namespace = '', id } = placeOf(config);
    if (task === undefined) throw missing('thread_id');
    if (id === undefined) throw missing('checkpoint_id');
    const node = /^~__pregel_pull, (.+)$/s.exec(taskPath)?.[1];
    const all = await Promise.all(
      writes.map(async ([channel, value], at) =>
        compact({
          run: taskId,
          index: WRITES_IDX_MAP[channel] ?? at,
          channel,
          text: await dumpText(this.serde, value),
          path: taskPath,
          node,
        }),
      ),
    );
    // Of a function or a symbol nothing is written.
    const rows = all.filter(({ text }) => text !== '');
    // What a run has written stays; an error or a question of it may be another one the next time.
    const isSpecial = rows.every(({ index }) => index < 0);
    await this.store.saveWrites(refIn(task, { namespace, id }), rows, { ifExists: isSpecial ? 'replace' : 'keep' });
  }

  async deleteThread(threadId: string): Promise<void> {
    const task = threadOf(threadId);
    await this.store.removeTask(task);
    for (const key of this.#seen.keys()) {
      if (!key.startsWith(`[${JSON.stringify(task)},`)) continue;
      this.#seen.delete(key);
      this.#known?.forget(key);
    }
  }

  /** Closes the store. */
  async close(): Promise<void> {
    await this.store.close?.();
  }

  /** Of values that nothing else has, so they never change. */
  async #valueOf(thread: string, values: Checkpoint['channel_values']): Promise<unknown> {
    const known = ENVELOPE in values ? undefined : await this.#known?.read(this.serde, thread, values);
    const value: unknown = known ?? JSON.parse(await dumpText(this.serde, values));
    if (typeof value === 'object') return value;
    // It writes a sentence in place of all channels.
    throw new InspectorError('invalid_input', "LangGraph's serializer can't write this state.", {
      data: { written: value },
      remedy: 'Leave out what JSON has no form for, such as a BigInt.',
    });
  }

  async #latest(task: string, namespace: string): Promise<CheckpointRef | undefined> {
    if (namespace === '') return (await this.store.latest(task)).ref;
    for await (const meta of everyItem((at) => this.store.checkpoints(task, at)))
      if (meta.namespace === namespace) return refOfMeta(meta);
    return undefined;
  }

  /** The newest id first, over all threads that are asked for. */
  async #listed(config: Config, before: Config | undefined): Promise<CheckpointMeta[]> {
    const { task, namespace, id } = placeOf(config);
    const last = before && placeOf(before).id;
    const tasks = task === undefined ? everyItem((at) => this.store.tasks(at)) : [{ id: task }];
    const found: CheckpointMeta[] = [];
    for await (const one of tasks) {
      for await (const meta of everyItem((at) => this.store.checkpoints(one.id, at))) {
        const isOther = namespace !== undefined && (meta.namespace ?? '') !== namespace;
        if (isOther || (id !== undefined && meta.id !== id) || (last !== undefined && meta.id >= last)) continue;
        found.push(meta);
      }
    }
    return found.sort((a, b) => (a.id < b.id ? 1 : Number(a.id > b.id) * -1));
  }

  async #seenAt(parent: CheckpointRef | undefined): Promise<VersionsSeen> {
    if (!parent) return {};
    const known = this.#seen.get(JSON.stringify([parent.task, parent.namespace ?? '']));
    if (known?.id === parent.id) return known.seen;
    const saved = await this.store.load(parent);
    return saved?.beside === undefined ? {} : besideIn(saved).versions_seen;
  }

  async #tuple(saved: SavedCheckpoint): Promise<CheckpointTuple> {
    const { ref, parent, text } = saved;
    const { metadata, next: _next, needsParents: _needsParents, ts = saved.createdAt ?? '', ...rest } = besideIn(saved);
    const values = (await loadText(this.serde, text)) as Checkpoint['channel_values'];
    const checkpoint: Checkpoint = { ...rest, id: ref.id, ts, channel_values: values };
    if (checkpoint.v < 4 && parent) await this.#addSends(checkpoint, parent);
    return compact({
      config: configOf(ref),
      checkpoint,
      metadata: (await loadText(this.serde, metadata)) as CheckpointMetadata,
      parentConfig: parent && configOf(parent),
      pendingWrites: await this.#writesOf(saved),
    });
  }

  #writesOf({ writes }: SavedCheckpoint): Promise<CheckpointPendingWrite[]> {
    return Promise.all(
      writes.map(async ({ run, channel, text }): Promise<CheckpointPendingWrite> => {
        return [run, channel, await loadText(this.serde, text)];
      }),
    );
  }

  /** Before format 4, what is sent to nodes was kept with the parent. */
  async #addSends(checkpoint: Checkpoint, parent: CheckpointRef): Promise<void> {
    const writes = (await this.store.load(parent))?.writes ?? [];
    const sends = writes.filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ text }) => loadText(this.serde, text)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

function checkStore(store: unknown): void {
  const { load, maxPerTask } = Object(store);
  if (typeof load !== 'function')
    throw new InspectorError('invalid_input', 'A checkpointer needs an open store.', {
      remedy: "Await openSqliteStore, or use CheckpointInspectorSaver.fromPath('agent.db').",
    });
  if (maxPerTask === undefined) return;
  const kept = `${maxPerTask} checkpoint${maxPerTask === 1 ? '' : 's'}`;
  throw new InspectorError('invalid_input', `This store keeps ${kept} of a thread, and LangGraph needs earlier ones.`, {
    data: { key: 'maxPerTask' },
    remedy: 'Open it with keepAll: true.',
  });
}

/** @throws InspectorError invalid_input: where an id was left out that isn't text, others would be answered with */
function placeOf(config: Config): { readonly task?: string; readonly namespace?: string; readonly id?: string } {
  const given: Readonly<Record<string, unknown>> = config.configurable ?? {};
  const textIn = (name: string): string | undefined => {
    const value = given[name] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw notText(name, value);
  };
  return compact({
    task: given['thread_id'] === undefined ? undefined : threadOf(given['thread_id']),
    namespace: textIn('checkpoint_ns'),
    id: textIn('checkpoint_id') || undefined,
  });
}

/** Programs that number their threads give a number, which LangGraph's own savers take too. */
function threadOf(id: unknown): string {
  if (typeof id === 'number' && Number.isFinite(id)) return String(id);
  if (typeof id === 'string' && id !== '') return id;
  throw id === '' ? missing('thread_id') : notText('thread_id', id);
}

const configOf = ({ task, namespace = '', id }: CheckpointRef): Config => ({
  configurable: { thread_id: task, checkpoint_ns: namespace, checkpoint_id: id },
});

/** @throws InspectorError unsupported for a checkpoint that LangGraph didn't save */
function besideIn({ ref, beside }: SavedCheckpoint): BesideText {
  const value: unknown = JSON.parse(beside ?? 'null');
  if (typeof value === 'object' && value !== null && 'channel_versions' in value) return value as BesideText;
  throw new InspectorError('unsupported', `Checkpoint "${ref.id}" of task "${ref.task}" isn't LangGraph's.`, {
    data: { ...ref },
  });
}

const missing = (name: string): InspectorError =>
  new InspectorError('invalid_input', `Missing "${name}" in the config's "configurable".`, { data: { name } });

const notText = (name: string, value: unknown): InspectorError =>
  new InspectorError('invalid_input', `"${name}" must be text, not ${inspect(value, { depth: 0 })}.`, {
    data: { name },
  });

const isIsoTime = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(Date.parse(text)).toISOString() === text;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
