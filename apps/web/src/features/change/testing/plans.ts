import {
  planList,
  storeId,
  type CheckpointMeta,
  type CheckpointRef,
  type PlanView,
  type Receipt,
  type ShownRequest,
} from '@checkpoint-inspector/core';

const STORE = storeId('demo');
export const ref = (id: string, task = 'run'): CheckpointRef => ({ task, id });

/** `c6` is called `#06`. */
export const nameOf = (at: CheckpointRef): string => `#${at.id.slice(1).padStart(2, '0')}`;

export function planFor(request: Exclude<ShownRequest, { kind: 'undo' }>, more: Partial<PlanView> = {}): PlanView {
  const source =
    request.kind === 'delete'
      ? request.refs[0]
      : request.kind === 'prune' || request.kind === 'save'
        ? undefined
        : request.ref;
  const isDelete = request.kind === 'delete';
  const made = ref('c11', 'targetTask' in request && request.targetTask !== undefined ? request.targetTask : 'run');
  return {
    id: 'plan-1',
    expiresAt: '2026-01-01T00:15:00.000Z',
    request,
    store: STORE,
    task: source?.task ?? 'run',
    preconditions: [],
    writes: planList(isDelete ? [] : [{ ref: made, reason: 'state copied byte for byte', sizeBytes: 17_200 }]),
    moves: planList([]),
    removes: planList(
      isDelete ? request.refs.map((item) => ({ ref: item, reason: 'requested', sizeBytes: 6100 })) : [],
    ),
    evicts: planList([]),
    protected: planList([]),
    warnings: [],
    latestBefore: { ref: ref('c10'), basis: 'rule' },
    latestAfter: isDelete ? ref('c10') : made,
    bytesFreed: 0,
    ...more,
  };
}

export function receiptFor(request: Receipt['request'], more: Partial<Receipt> = {}): Receipt {
  return {
    id: 'receipt-1',
    planId: 'plan-1',
    request,
    store: STORE,
    task: 'run',
    appliedAt: '2026-01-01T00:00:00.000Z',
    done: ['Wrote c11'],
    failed: [],
    written: [ref('c11')],
    removed: [],
    latestNow: { ref: ref('c11'), basis: 'rule' },
    proof: 'same',
    undoable: true,
    ...more,
  };
}

export function metaFor(id: string): CheckpointMeta {
  const seq = Number(id.slice(1));
  return {
    store: STORE,
    id,
    taskId: 'run',
    lineage: 'recorded',
    seq,
    timeBasis: 'none',
    status: 'completed',
    labels: [],
    sizeBytes: 10,
    isLatest: false,
  };
}
