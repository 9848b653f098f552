import { InspectorError } from '@checkpoint-inspector/core';
import type { TrashedChange } from './journal/trash.ts';
import { randomBytes } from 'node:crypto';
import { PLAN_MINUTES, refuseReadOnly } from './plans.ts';
import type { ChangeDeps, PurgePlan, PurgeRequest, TrashBin, TrashSize } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_PLANS = 20;

export function createBin({ journal, readOnly, now = () => new Date() }: ChangeDeps): TrashBin {
  const plans = new Map<string, PurgePlan>();
  const keptUntil = (deletedAt: string) => new Date(Date.parse(deletedAt) + journal.trashDays() * DAY_MS).toISOString();
  const isExpired = ({ deletedAt }: TrashedChange) => keptUntil(deletedAt) <= now().toISOString();

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
      refuseReadOnly(readOnly);
      const plan = plans.get(planId);
      plans.delete(planId);
      if (!plan || plan.expiresAt <= now().toISOString())
        throw new InspectorError('plan_expired', 'This plan has expired or was already applied.');
      const ids = plan.changes.map(({ receiptId }) => receiptId);
      const purged = journal.purge(ids);
      const gone = new Set(purged.map(({ receiptId }) => receiptId));
      return { ...sizeOf(purged), left: ids.filter((id) => !gone.has(id)) };
    },
    keptUntil,
    keepFor(days) {
      refuseReadOnly(readOnly);
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
    throw new InspectorError('not_found', `Nothing from ${id} is in the trash.`, {
      data: { receiptId: id },
      remedy: 'List what is in it with `trash`.',
    });
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
