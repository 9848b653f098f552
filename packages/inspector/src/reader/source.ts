import type {
  Beside,
  Change,
  ChangeRequest,
  Changeable,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  Latest,
  LineageRow,
  Page,
  Plan,
  RowCapabilities,
  State,
  StoreInfo,
  Task,
} from '@checkpoint-inspector/core';
import type { Method, Opened } from './messages.ts';
import type { ReaderProcess } from './process.ts';

/** One source of a store in another process. */
export interface RemotePlace {
  readonly reader: ReaderProcess;
  /** Place among the sources of the store. */
  readonly at: number;
  readonly info: () => StoreInfo;
  readonly watch: (listener: (change: Change) => void) => () => void;
  readonly close: () => void;
}

type Save = Parameters<NonNullable<CheckpointSource['save']>>;

let streams = 0;

/** A source whose every answer comes from another process: the same objects, copied. */
export function remoteSource(place: RemotePlace, { methods }: Opened): CheckpointSource & Partial<Changeable> {
  const { reader, at } = place;
  // The process answers with what the source's member of this name answers (child.ts).
  const ask = <T>(method: Method, ...args: readonly unknown[]): Promise<T> =>
    reader.ask({ call: 'ask', source: at, method, args }) as Promise<T>;
  const has = (method: Method): boolean => methods.includes(method);
  return {
    get info() {
      return place.info();
    },
    tasks: (query) => ask<Page<Task>>('tasks', query),
    checkpoints: (task, query) => ask<Page<CheckpointMeta>>('checkpoints', task, query),
    lineage: (task) => lineage(place, task),
    state: (ref) => ask<State | undefined>('state', ref),
    raw: (ref) => ask<Uint8Array | undefined>('raw', ref),
    latest: (task) => ask<Latest>('latest', task),
    find: (id) => ask<readonly CheckpointRef[]>('find', id),
    ...(has('beside') ? { beside: (ref: CheckpointRef) => ask<Beside | undefined>('beside', ref) } : {}),
    ...(has('unlock') ? { unlock: (key: string) => ask<void>('unlock', key) } : {}),
    ...(has('capability') ? { capability: (ref: CheckpointRef) => ask<RowCapabilities>('capability', ref) } : {}),
    ...(has('save') ? { save: (...given: Save) => ask<CheckpointMeta>('save', ...given) } : {}),
    ...(has('plan') ? { plan: (request: ChangeRequest) => ask<Plan>('plan', request) } : {}),
    watch: place.watch,
    close: async () => place.close(),
  };
}

async function* lineage({ reader, at }: RemotePlace, task: string): AsyncIterable<LineageRow> {
  const stream = ++streams;
  await reader.ask({ call: 'begin', source: at, task, stream });
  let done = false;
  try {
    while (!done) {
      const next = await reader.ask({ call: 'next', stream });
      done = next.done;
      yield* next.rows as readonly LineageRow[];
    }
  } finally {
    if (!done) await reader.ask({ call: 'end', stream }).catch(() => undefined);
  }
}
