/** Changes of many rows: nothing is read while others wait, and rows that no task is resumed from go in slices. */
import { InspectorError } from '@checkpoint-inspector/core';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Applied, ApplyHooks, Settled, SettleHooks, Side } from '../executor.ts';
import { expectRows, runCheck, settledRows } from './apply.ts';
import { cellsOf } from './cells.ts';
import type { RowStep, RowSteps } from './job.ts';
import { Ledger, toImage, type Step } from './ledger.ts';
import { doneLines, placeOf, type RowImage } from './mark.ts';
import type { Tables } from './tables.ts';
import { foreseeUndo, stateBefore } from './undo.ts';
import { got, type Work } from './work.ts';

/** With its commit a slice stays under 200 ms. */
const SLICE_MS = 120;
/** A writer that waits for SQLite looks again each 100 ms. */
const PAUSE_MS = 110;
/** Rows that are handed to the engine at once; large ones must not make a slice long. */
const AT_ONCE = 50;

export interface Transactions {
  /** Of one moment. */
  read<T>(work: (tables: Tables) => Work<T>): Promise<T>;
  /** A throw rolls it back. */
  write<T>(work: (tables: Tables) => Work<T>): Promise<T>;
}

/**
 * First what is added in slices, then the rows that make a task resumable, in one transaction, then what is removed in
 * slices. @throws InspectorError changed | head_moved | unsupported
 */
export async function changeInParts(on: Transactions, steps: RowSteps, hooks: ApplyHooks): Promise<Applied> {
  const { slices = [] } = steps;
  const planned = await on.read((tables) => foresee(tables, steps));
  const images = planned.map((step) => {
    const { mark, content } = toImage(step);
    const part = slices.includes(step.table) ? ('slice' as const) : ('core' as const);
    return { mark: { ...mark, part }, ...(content ? { content } : {}) };
  });
  await hooks.prepared(images);
  hooks.onStep?.('intent');
  const sliced = planned.filter(({ table }) => slices.includes(table));
  await inSlices(
    on,
    sliced.filter(({ before }) => before === undefined),
    hooks,
  );
  await on.write(function* (tables) {
    yield* check(tables, steps);
    yield* writeAll(
      tables,
      planned.filter(({ table }) => !slices.includes(table)),
    );
  });
  hooks.onStep?.('written');
  await inSlices(
    on,
    sliced.filter(({ before }) => before !== undefined),
    hooks,
  );
  return { images, skipped: [], failed: [], done: doneLines(images) };
}

/** Where the rows that a task is resumed from were written the rest is completed, else what came before them goes. */
export async function settleParts(
  on: Transactions,
  images: readonly RowImage[],
  sides: readonly Side[],
  hooks: SettleHooks,
): Promise<Settled> {
  const isCore = (at: number) => images[at]?.mark.part === 'core';
  const settled = settledRows(
    images.filter((_, at) => isCore(at)),
    sides.filter((_, at) => isCore(at)),
  );
  const isDone = settled.outcome === 'completed';
  const left = images.filter((_, at) => !isCore(at) && sides[at]?.is === (isDone ? 'before' : 'after'));
  await inSlices(on, isDone ? left.flatMap(removed) : await on.read((tables) => added(tables, left)), hooks);
  if (!isDone) return { ...settled, skipped: images.map((_, at) => at) };
  return { ...settled, done: doneLines(images) };
}

const removed = (image: RowImage): Step[] => {
  const before = stateBefore(image);
  return before ? [{ table: image.mark.table, before }] : [];
};

function* added(tables: Tables, images: readonly RowImage[]): Work<Step[]> {
  const steps: Step[] = [];
  for (const { mark } of images) {
    const before = mark.after && (yield* got(tables.find(mark.table, placeOf(mark.after))));
    if (before) steps.push({ table: mark.table, before });
  }
  return steps;
}

/** Each row before and after, by reading alone. */
function* foresee(tables: Tables, { checks, ops }: RowSteps): Work<readonly Step[]> {
  for (const one of checks) yield* runCheck(tables, one);
  const ledger = new Ledger();
  for (const op of ops) for (const step of yield* foreseeStep(tables, op)) ledger.add(step);
  return ledger.steps();
}

function* foreseeStep(tables: Tables, op: RowStep): Work<Step[]> {
  if (op.op === 'undo') return yield* foreseeUndo(tables, op.images);
  if (op.op === 'insert') throw new InspectorError('internal', 'A change in parts inserts no rows of its own.');
  const { table } = op;
  const rows = yield* got(tables.select(table, op.key));
  if (op.op === 'delete') {
    expectRows(table, rows.length, op.expect ?? 1);
    return rows.map((before) => ({ table, before }));
  }
  if (op.op === 'update' || op.many !== true) expectRows(table, rows.length, 1);
  const set = cellsOf(op.set);
  return rows.map((before) => {
    const cells = new Map([...before.cells, ...set]);
    const key = new Map([...before.key.keys()].map((name) => [name, cells.get(name) ?? null]));
    if (op.op === 'copy') return { table, after: { key, cells } };
    return { table, before, after: { ...before, key, cells } };
  });
}

/** What slices have added before is no reason to stop. */
function* check(tables: Tables, { checks, ops, slices = [] }: RowSteps): Work<void> {
  for (const one of checks) {
    if (one.check !== 'absent' || !slices.includes(one.table)) yield* runCheck(tables, one);
  }
  for (const op of ops) {
    if (op.op === 'delete') expectRows(op.table, yield* got(tables.count(op.table, op.key)), op.expect ?? 1);
  }
}

/** @throws InspectorError changed, where a row is no longer as it was read | unsupported */
function* writeAll(tables: Tables, steps: readonly Step[], endsAt = Number.POSITIVE_INFINITY): Work<number> {
  const start = yield* got(tables.changes());
  let done = 0;
  while (done < steps.length && (done === 0 || performance.now() < endsAt)) {
    const some = steps.slice(done, done + AT_ONCE);
    yield* got(tables.write(some));
    done += some.length;
  }
  const changed = (yield* got(tables.changes())) - start;
  if (changed === done) return done;
  throw new InspectorError(
    'unsupported',
    `Triggers or cascades in the database would change ${changed - done} more rows.`,
  );
}

async function inSlices(on: Transactions, steps: readonly Step[], hooks: SettleHooks): Promise<void> {
  let left = steps;
  while (left.length > 0) {
    const some = left;
    const done = await on.write((tables) => writeAll(tables, some, performance.now() + SLICE_MS));
    hooks.onStep?.('slice');
    left = left.slice(done);
    if (left.length > 0) await sleep(PAUSE_MS);
  }
}
