import { InspectorError } from '@checkpoint-inspector/core';
import { placeIdentity } from '@checkpoint-inspector/io';
import type { PlannedChange } from './types.ts';

export const PLAN_MINUTES = 15;
const MAX_PLANS = 100;
/** Plans hold the bytes of the files they create, and every item they name: 256 MiB in all. */
const MAX_BYTES = 256 * 1024 * 1024;

/** @throws InspectorError read_only */
export function refuseReadOnly(readOnly: boolean): void {
  if (readOnly) throw new InspectorError('read_only', 'The inspector was started with --read-only.');
}

/** Plans between preview and apply. In memory only: a plan is gone after a restart. */
export class PlanShelf {
  readonly #plans = new Map<string, PlannedChange>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  put(change: PlannedChange): void {
    const { job } = change;
    // A plan that comes back keeps the identity that it has.
    this.#plans.set(change.view.id, { identity: job && placeIdentity(job.place), ...change });
    this.#shrink();
  }

  /** Takes the plan away, so that two clicks do not apply it twice. @throws InspectorError plan_expired */
  take(id: string): PlannedChange {
    const change = this.#plans.get(id);
    this.#plans.delete(id);
    if (change && Date.parse(change.view.expiresAt) > this.#now().getTime()) return change;
    const message = 'This plan has expired, was already applied, or belongs to an earlier run.';
    throw new InspectorError('plan_expired', message, { data: { planId: id } });
  }

  /** The plan, which stays. @throws InspectorError plan_expired */
  look(id: string): PlannedChange {
    const change = this.take(id);
    this.#plans.set(id, change);
    return change;
  }

  /** Expired ones go first, then the oldest; the newest always stays. */
  #shrink(): void {
    const now = this.#now().getTime();
    for (const [id, { view }] of this.#plans) if (Date.parse(view.expiresAt) <= now) this.#plans.delete(id);
    let bytes = [...this.#plans.values()].reduce((sum, change) => sum + weight(change), 0);
    for (const [id, change] of this.#plans) {
      if (this.#plans.size === 1 || (this.#plans.size <= MAX_PLANS && bytes <= MAX_BYTES)) return;
      this.#plans.delete(id);
      bytes -= weight(change);
    }
  }
}

/** What the job carries, and about a kilobyte for each thing that a plan names. */
function weight({ job, view, skipped = [] }: PlannedChange): number {
  const named = view.preconditions.length + view.protected.items.length + skipped.length;
  return named * 1024 + (job ? carried(job.steps) : 0);
}

/** Of an edit the new state, wherever the engine keeps it in its steps. */
function carried(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + carried(part), 1024);
}
