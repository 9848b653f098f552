import { idToSegment, type Address, type CheckpointMeta, type CheckpointRef } from '@checkpoint-inspector/core';

type Place = Pick<CheckpointMeta, 'store' | 'taskId' | 'namespace' | 'id'>;

export const refOf = (row: Place): CheckpointRef => ({
  task: row.taskId,
  ...(row.namespace === undefined ? {} : { namespace: row.namespace }),
  id: row.id,
});

export const addressOf = (row: Place): Address => ({ store: row.store, ...refOf(row) });

export const toAddress = (store: string, ref: CheckpointRef): Address => ({ store, ...ref });

/** An id as a route param: the router encodes it, so only the guard of `idToSegment` is added here. */
export const idToParam = (id: string): string => decodeURIComponent(idToSegment(id));
