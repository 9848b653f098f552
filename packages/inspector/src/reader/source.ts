import { untilAborted } from '@checkpoint-inspector/core';
import type {
  Beside,
  CallOptions,
  Changeable,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  Damage,
  DiffOptions,
  Latest,
  LineagePart,
  LineageOptions,
  LineageRowWithFacts,
  Page,
  PartRange,
  Plan,
  RowCapabilities,
  State,
  StateDiff,
  StatePart,
  StateValue,
  StoreEvent,
  StoreInfo,
  SystemRequest,
  TaskPage,
} from '@checkpoint-inspector/core';
import type { KeptAnswers } from './kept.ts';
import type { Method, Opened, Stream } from './messages.ts';
import type { ReaderProcess } from './process.ts';

/** One source of a store in another process. */
export interface RemotePlace {
  readonly reader: ReaderProcess;
  /** Place among the sources of the store. */
  readonly at: number;
  /** Absent where nothing tells quickly whether an answer still holds. */
  readonly kept: KeptAnswers | undefined;
  readonly info: () => StoreInfo;
  readonly watch: (listener: (event: StoreEvent) => void) => () => void;
  readonly close: () => void;
}

type Save = Parameters<NonNullable<CheckpointSource['save']>>;

let streams = 0;

/** A source whose every answer comes from another process: the same objects, copied. */
export function remoteSource(place: RemotePlace, { methods }: Opened): CheckpointSource & Partial<Changeable> {
  const { reader, at, kept } = place;
  // The process answers with what the source's member of this name answers (child.ts).
  const ask = <T>(method: Method, args: readonly unknown[], options: CallOptions = {}): Promise<T> => {
    const { background } = options;
    const fresh = () => reader.ask({ call: 'ask', source: at, method, args }, background) as Promise<T>;
    // Background work goes through everything once: what it reads isn't asked again.
    return kept && !background ? kept.answer(method, args, fresh, options) : untilAborted(options.signal, fresh);
  };
  const has = (method: Method | Stream): boolean => methods.includes(method);
  return {
    get info() {
      return place.info();
    },
    tasks: (query = {}) => ask<TaskPage>('tasks', [sendable(query)], query),
    checkpoints: (task, query = {}) => ask<Page<CheckpointMeta>>('checkpoints', [task, sendable(query)], query),
    lineage: (task, options) => stream<LineageRowWithFacts>(place, 'lineage', task, options),
    ...(has('lineageParts')
      ? { lineageParts: (task, options) => stream<LineagePart>(place, 'lineageParts', task, options) }
      : {}),
    meta: (ref, options) => ask<CheckpointMeta | undefined>('meta', [ref], options),
    state: (ref, options = {}) => ask<State | undefined>('state', [ref, sendable(options)], options),
    latest: (task, options) => ask<Latest>('latest', [task], options),
    find: (id, options) => ask<readonly CheckpointRef[]>('find', [id], options),
    ...(has('raw') ? { raw: (ref, options) => ask<Uint8Array | undefined>('raw', [ref], options) } : {}),
    ...(has('beside') ? { beside: (ref, options) => ask<Beside | undefined>('beside', [ref], options) } : {}),
    ...(has('diff')
      ? {
          diff: (a: CheckpointRef, b: CheckpointRef, options: CallOptions & DiffOptions = {}) =>
            ask<StateDiff | undefined>('diff', [a, b, sendable(options)], options),
        }
      : {}),
    ...(has('part')
      ? {
          part: (ref: CheckpointRef, path: string, range?: PartRange, options?: CallOptions) =>
            ask<StatePart | undefined>('part', [ref, path, range], options),
        }
      : {}),
    ...(has('values')
      ? {
          values: (refs: readonly CheckpointRef[], path: string, options?: CallOptions) =>
            ask<readonly (StateValue | undefined)[]>('values', [refs, path], options),
        }
      : {}),
    ...(has('unlock') ? { unlock: (key: string) => ask<void>('unlock', [key]) } : {}),
    ...(has('capability') ? { capability: (ref, options) => ask<RowCapabilities>('capability', [ref], options) } : {}),
    ...(has('damage') ? { damage: (options) => ask<readonly Damage[]>('damage', [], options) } : {}),
    ...(has('evictedNext')
      ? { evictedNext: (task, options) => ask<readonly CheckpointRef[]>('evictedNext', [task], options) }
      : {}),
    ...(has('save') ? { save: (...given: Save) => ask<CheckpointMeta>('save', given) } : {}),
    ...(has('plan')
      ? { plan: (request: SystemRequest, options?: CallOptions) => ask<Plan>('plan', [request], options) }
      : {}),
    ...(kept ? { version: (options) => kept.version(options) } : {}),
    watch: place.watch,
    close: async () => place.close(),
  };
}

/** What is watched and compared on this side only; a signal is only made where somebody waits. */
const OURS: ReadonlySet<string> = new Set<keyof CallOptions>(['signal', 'reading']);

function sendable(query: object): object {
  const sent: Record<string, unknown> = {};
  for (const name of Object.keys(query)) if (!OURS.has(name)) sent[name] = Reflect.get(query, name);
  return sent;
}

/** The process hands over what the source's member of this name does. */
async function* stream<T>(
  { reader, at }: RemotePlace,
  what: Stream,
  task: string,
  { signal, background, facts }: LineageOptions = {},
): AsyncIterable<T> {
  signal?.throwIfAborted();
  const stream = ++streams;
  await reader.ask({ call: 'begin', source: at, what, task, facts, stream }, background);
  let done = false;
  try {
    while (!done) {
      signal?.throwIfAborted();
      const next = await reader.ask({ call: 'next', stream }, background);
      done = next.done;
      yield* next.items as readonly T[];
    }
  } finally {
    if (!done) await reader.ask({ call: 'end', stream }).catch(() => undefined);
  }
}
