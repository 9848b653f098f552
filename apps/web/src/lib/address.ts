import {
  idToSegment,
  InspectorError,
  type Address,
  type CheckpointMeta,
  type CheckpointRef,
} from '@checkpoint-inspector/core';

export interface TaskPlace {
  readonly store: string;
  readonly task: string;
}

type Place = Pick<CheckpointMeta, 'store' | 'taskId' | 'namespace' | 'id'>;

export const refAt = (task: string, id: string, namespace?: string): CheckpointRef => ({
  task,
  ...(namespace === undefined ? {} : { namespace }),
  id,
});

export const refOf = (row: Place): CheckpointRef => refAt(row.taskId, row.id, row.namespace);

export const addressOf = (row: Place): Address => ({ store: row.store, ...refOf(row) });

export const toAddress = (store: string, ref: CheckpointRef): Address => ({ store, ...ref });

interface ReadAddress<T> {
  readonly at?: T;
  /** Why the text names nothing; the page still offers to choose. */
  readonly error?: InspectorError;
}

/** What an address bar holds. @example readAddress(search.a, parseAddress).at */
export function readAddress<T>(text: string | undefined, parse: (text: string) => T): ReadAddress<T> {
  if (text === undefined) return {};
  try {
    return { at: parse(text) };
  } catch (error) {
    return { error: InspectorError.from(error) };
  }
}

/** For what must be asked about something while there is nothing yet. */
export const NOWHERE: Address = { store: '', task: '', id: '' };

/** An id as a route param: the router encodes it, so only the guard of `idToSegment` is added here. */
export const idToParam = (id: string): string => decodeURIComponent(idToSegment(id));

/** The workbench of a task, for links and `navigate`. */
export const taskPage = (store: string, task: string) => ({ to: '/t/$store/$task', params: { store, task } }) as const;

/** The workbench with this checkpoint selected. */
export const checkpointPage = (store: string, { task, id, namespace }: CheckpointRef) => ({
  ...taskPage(store, task),
  search: { cp: id, ns: namespace },
});
