import type { ChangeService } from '@checkpoint-inspector/changes';
import type { ChangeRequest, ShownRequest, ErrorCode, Receipt } from '@checkpoint-inspector/core';
import { shownError } from '../errors.ts';

export type Operation = 'save' | 'load' | 'list' | 'change';

/** Milliseconds of what was done. */
export interface Timing {
  readonly count: number;
  readonly averageMs: number;
  readonly maxMs: number;
}

/** What passed through this server since it started. An average of nothing is absent. */
export interface ServerMetrics {
  /** ISO 8601 UTC. */
  readonly since: string;
  readonly checkpoint_save_count: number;
  /** States returned to continue from. */
  readonly checkpoint_resume_count: number;
  readonly checkpoint_save_size_bytes?: number;
  readonly checkpoint_save_latency_ms?: number;
  /** Steps that were done in the states returned. */
  readonly steps_recovered: number;
  readonly saves?: Timing;
  /** Applied plans by kind. */
  readonly changes: Readonly<Partial<Record<ChangeRequest['kind'], Timing>>>;
  readonly failures: readonly { readonly operation: Operation; readonly code: ErrorCode; readonly count: number }[];
}

export type Meter = ReturnType<typeof createMeter>;

/** Counts what this server does; kept in memory, so a restart begins again. */
export function createMeter(since: Date = new Date()) {
  const saves = stopwatch();
  const changes = new Map<ShownRequest['kind'], ReturnType<typeof stopwatch>>();
  const failures = new Map<string, ServerMetrics['failures'][number]>();
  let savedBytes = 0;
  let resumes = 0;
  let steps = 0;

  return {
    saved(bytes: number, ms: number) {
      saves.add(ms);
      savedBytes += bytes;
    },
    resumed(done: number) {
      resumes += 1;
      steps += done;
    },
    changed(kind: ShownRequest['kind'], ms: number) {
      const watch = changes.get(kind) ?? stopwatch();
      watch.add(ms);
      changes.set(kind, watch);
    },
    failed(operation: Operation, code: ErrorCode) {
      const key = `${operation} ${code}`;
      failures.set(key, { operation, code, count: (failures.get(key)?.count ?? 0) + 1 });
    },
    read(): ServerMetrics {
      const timing = saves.read();
      return {
        since: since.toISOString(),
        checkpoint_save_count: timing.count,
        checkpoint_resume_count: resumes,
        ...(timing.count === 0
          ? {}
          : {
              checkpoint_save_size_bytes: savedBytes / timing.count,
              checkpoint_save_latency_ms: timing.averageMs,
              saves: timing,
            }),
        steps_recovered: steps,
        changes: Object.fromEntries([...changes].map(([kind, watch]) => [kind, watch.read()])),
        failures: [...failures.values()],
      };
    },
  };
}

function stopwatch() {
  let count = 0;
  let total = 0;
  let max = 0;
  return {
    add(ms: number) {
      count += 1;
      total += ms;
      max = Math.max(max, ms);
    },
    read: (): Timing => ({ count, averageMs: count === 0 ? 0 : total / count, maxMs: max }),
  };
}

/** The same service, its applied plans timed and its refusals counted. */
export function measured(changes: ChangeService, meter: Meter): ChangeService {
  const timed = async (work: () => Promise<Receipt>): Promise<Receipt> => {
    const start = performance.now();
    try {
      const receipt = await work();
      meter.changed(receipt.request.kind, performance.now() - start);
      return receipt;
    } catch (error) {
      meter.failed('change', shownError(error).code);
      throw error;
    }
  };
  return {
    ...changes,
    apply: (planId) => timed(() => changes.apply(planId)),
    undo: (receiptId) => timed(() => changes.undo(receiptId)),
  };
}
