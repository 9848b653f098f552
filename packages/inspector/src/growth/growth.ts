/** What makes a task's storage grow, and what pruning it would free. */
import { createHash } from 'node:crypto';
import {
  compact,
  everyItem,
  GrowthTally,
  InspectorError,
  maskSecrets,
  refOfMeta,
  type CheckpointMeta,
  type CheckpointSource,
  type Growth,
} from '@checkpoint-inspector/core';
import { pausing, type Looking } from '../explain/branch.ts';
import { everyRow } from '../stores/task-lists.ts';
import type { KeepingNewest, Sized, TaskGrowth } from './types.ts';

/** Different values that are remembered: a state may have a million entries. */
const MOST_VALUES = 500_000;
const MOST_ENTRIES = 100;
const MOST_GAPS = 20;
const KEEPING = [1, 10];
/** States that are read, and bytes: of all, and of one. */
export const LIMITS = { steps: 2_000, bytes: 100_000_000, stateBytes: 8_000_000 };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Lists every checkpoint of the task and reads their states one by one, the newest first, within the limits. Changes
 * nothing.
 * @throws InspectorError not_found; the reason of the signal when it is cancelled
 * @example const { states, keeping } = await explainGrowth(source, 'run-1');
 */
export async function explainGrowth(
  source: CheckpointSource,
  task: string,
  { signal, limits = LIMITS }: Looking & { readonly limits?: typeof LIMITS } = {},
): Promise<TaskGrowth> {
  const pause = pausing(signal);
  const reading = new Reading(source, limits);
  const sizes: number[] = [];
  for await (const row of everyRow(source, task)) {
    await pause();
    sizes.push(row.sizeBytes);
    await reading.read(row);
  }
  if (sizes.length === 0) {
    const { id } = source.info;
    throw new InspectorError('not_found', `Task "${task}" has no checkpoint in store "${id}".`, { data: { task } });
  }
  const { states, examined, derived } = reading.answer();
  const { id, sharing } = source.info;
  const shared = sharing === undefined ? undefined : await storedBytes(source, task);
  const listed = { checkpoints: sizes.length, bytes: shared ?? sum(sizes) };
  return {
    store: id,
    task,
    listed,
    states,
    examined: { ...examined, of: listed.checkpoints },
    keeping: KEEPING.map((newest) => beyond(sizes, newest, listed.bytes)),
    ...compact({ sharing, derived }),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Where checkpoints share values, the sizes of all add up to more than is stored; that of the task has each value once. */
async function storedBytes(source: CheckpointSource, task: string): Promise<number | undefined> {
  for await (const { id, sizeBytes } of everyItem((at) => source.tasks({ ...at, text: task }))) {
    if (id === task) return sizeBytes;
  }
  return undefined;
}

/** @param sizes the newest first */
function beyond(sizes: readonly number[], newest: number, stored: number): KeepingNewest {
  const gone = sizes.slice(newest);
  return { newest, checkpoints: gone.length, bytes: Math.min(sum(gone), stored) };
}

/** The states of a task, the newest first, until a limit is reached. */
class Reading {
  readonly #source: CheckpointSource;
  readonly #limits: typeof LIMITS;
  readonly #tally = new GrowthTally((text) => createHash('sha256').update(text).digest('base64'));
  readonly #outside: Mutable<Sized> = { checkpoints: 0, bytes: 0 };
  readonly #unread: Mutable<Sized> = { checkpoints: 0, bytes: 0 };
  readonly #gaps: TaskGrowth['examined']['gaps'][number][] = [];
  #n = 0;
  #bytes = 0;
  #isFull = false;
  #derived: string | undefined;

  constructor(source: CheckpointSource, limits: typeof LIMITS) {
    this.#source = source;
    this.#limits = limits;
  }

  async read(row: CheckpointMeta): Promise<void> {
    const { steps, bytes, stateBytes } = this.#limits;
    const isTooLarge = row.sizeBytes > stateBytes;
    // The newest is read at any size: without it there is nothing to say.
    this.#isFull ||=
      this.#n + this.#unread.checkpoints >= steps ||
      this.#tally.values >= MOST_VALUES ||
      (this.#n > 0 && !isTooLarge && this.#bytes + row.sizeBytes > bytes);
    if (this.#isFull) return add(this.#outside, row);
    if (row.problem !== undefined) return this.#gap(row, row.problem.message);
    if (isTooLarge) return this.#gap(row, `Its state is larger than ${stateBytes / 1_000_000} MB.`);
    try {
      const state = await this.#source.state(refOfMeta(row), { mostCharacters: stateBytes });
      if (state === undefined) return this.#gap(row, 'It is no longer in the store.');
      this.#tally.add(state.text);
      this.#derived ??= state.derived;
      this.#n++;
      this.#bytes += Math.max(row.sizeBytes, state.text.length);
    } catch (error) {
      if (!InspectorError.is(error)) throw error;
      this.#gap(row, error.message);
    }
  }

  answer() {
    const states = masked(this.#tally.growth(MOST_ENTRIES));
    const examined = { n: this.#n, outside: this.#outside, unread: this.#unread, gaps: this.#gaps };
    return { states, examined, derived: this.#derived };
  }

  #gap(row: CheckpointMeta, reason: string): void {
    add(this.#unread, row);
    if (this.#gaps.length < MOST_GAPS) this.#gaps.push({ ref: refOfMeta(row), reason });
  }
}

function add(sized: Mutable<Sized>, { sizeBytes }: CheckpointMeta): void {
  sized.checkpoints++;
  sized.bytes += sizeBytes;
}

/** Nobody asks for a value here, so nobody can ask for one to be revealed. */
function masked(growth: Growth): Growth {
  return { ...growth, entries: growth.entries.map((entry) => ({ ...entry, key: maskSecrets(entry.key) })) };
}
