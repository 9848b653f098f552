import { InspectorError } from '@checkpoint-inspector/core';
import type { TrashedChange } from './journal/trash.ts';
import { randomBytes } from 'node:crypto';
import { PLAN_MINUTES } from './plans.ts';
import type { ChangeDeps } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_PLANS = 20;

export interface TrashSize {
  readonly changes: number;
  readonly checkpoints: number;
  /** Before-images in the journal. */
  readonly bytes: number;
}

export interface TrashSummary extends TrashSize {
  /** Of these: kept longer than `keepDays`. */
  readonly expired: TrashSize;
  readonly keepDays: number;
}

/** Which changes to purge: the named ones, all that are expired, or everything. */
export interface PurgeRequest {
  readonly receiptIds?: readonly string[];
  readonly expired?: boolean;
}

export interface PurgePlan {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  /** Exactly what goes; none of it can be undone afterwards. */
  readonly changes: readonly (TrashedChange & { readonly expiresAt: string })[];
  readonly checkpoints: number;
  readonly bytes: number;
}

export interface Purged extends TrashSize {
  /** Planned, and not in the trash any more or being put back: left as they are. */
  readonly left: readonly string[];
}

/** The trash as a whole. Nothing in it is ever purged by itself. */
export interface TrashBin {
  /** The journal, which holds it. */
  readonly path: string;
  summary(): TrashSummary;
  /** Writes nothing. The plan lives 15 minutes. @throws InspectorError not_found when a named change is not in the trash */
  preview(request: PurgeRequest): PurgePlan;
  /** Purges exactly what the plan names, once. @throws InspectorError plan_expired | read_only */
  purge(planId: string): Purged;
  /** Until when something deleted at this time is kept, ISO 8601 UTC. */
  keptUntil(deletedAt: string): string;
  /** @throws InspectorError invalid_input | read_only */
  keepFor(days: number): void;
}

export function createBin({ journal, readOnly, now = () => new Date() }: ChangeDeps): TrashBin {
  const plans = new Map<string, PurgePlan>();
  const keptUntil = (deletedAt: string) => new Date(Date.parse(deletedAt) + journal.trashDays() * DAY_MS).toISOString();
  const isExpired = ({ deletedAt }: TrashedChange) => keptUntil(deletedAt) <= now().toISOString();
  const refuseReadOnly = () => {
    if (readOnly) throw new InspectorError('read_only', 'The program was started with --read-only.');
  };

  return {
    path: journal.path,
    summary() {
      const all = journal.trashed();
      return { ...sizeOf(all), expired: sizeOf(all.filter(isExpired)), keepDays: journal.trashDays() };
    },
    preview(request) {
      const changes = chosen(journal.trashed(), request, isExpired);
      const plan: PurgePlan = {
        id: randomBytes(18).toString('base64url'),
        expiresAt: new Date(now().getTime() + PLAN_MINUTES * 60_000).toISOString(),
        changes: changes.map((change) => ({ ...change, expiresAt: keptUntil(change.deletedAt) })),
        checkpoints: sizeOf(changes).checkpoints,
        bytes: sizeOf(changes).bytes,
      };
      plans.set(plan.id, plan);
      for (const id of [...plans.keys()].slice(0, -MAX_PLANS)) plans.delete(id);
      return plan;
    },
    purge(planId) {
      refuseReadOnly();
      const plan = plans.get(planId);
      plans.delete(planId);
      if (!plan || plan.expiresAt <= now().toISOString())
        throw new InspectorError('plan_expired', 'This plan is not there any more: too old, or already done.');
      const ids = plan.changes.map(({ receiptId }) => receiptId);
      const purged = journal.purge(ids);
      const gone = new Set(purged.map(({ receiptId }) => receiptId));
      return { ...sizeOf(purged), left: ids.filter((id) => !gone.has(id)) };
    },
    keptUntil,
    keepFor(days) {
      refuseReadOnly();
      journal.setTrashDays(days);
    },
  };
}

function chosen(
  all: readonly TrashedChange[],
  { receiptIds, expired = false }: PurgeRequest,
  isExpired: (change: TrashedChange) => boolean,
): readonly TrashedChange[] {
  if (receiptIds === undefined) return expired ? all.filter(isExpired) : all;
  return receiptIds.map((id) => {
    const change = all.find(({ receiptId }) => receiptId === id);
    if (change) return change;
    throw new InspectorError('not_found', `Nothing of ${id} is in the trash.`, { data: { receiptId: id } });
  });
}

function sizeOf(changes: readonly TrashedChange[]): TrashSize {
  const sum = (of: (change: TrashedChange) => number) => changes.reduce((total, change) => total + of(change), 0);
  return {
    changes: changes.length,
    checkpoints: sum(({ checkpoints }) => checkpoints),
    bytes: sum(({ bytes }) => bytes),
  };
}
