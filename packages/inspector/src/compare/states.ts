/** States of two runs, each read once, and what differs between them. */
import { diffJson, InspectorError, refKey, refOfMeta } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, Diff, State } from '@checkpoint-inspector/core';
import { largeDiff, storedDiff } from '../differences.ts';
import type { RunPlace } from './run.ts';

/** A larger state is named and not read, unless its store knows what differs; no more than `bytes` are read in all. */
export const RUN_LIMITS = { stateBytes: 1_000_000, bytes: 100_000_000, rows: 2_000, sent: 2_000, gaps: 50 };

/** One step of a run, in its store. */
export interface Placed extends RunPlace {
  readonly source: CheckpointSource;
}

/** What differs, or which of the two can't be compared and why. */
export type Compared = { readonly diff: Diff } | { readonly unread: Placed; readonly reason: string };

/** A state and the one before it, on either side. */
const HELD = 4;

export class RunStates {
  readonly #ignore: readonly string[];
  readonly #signal: AbortSignal | undefined;
  readonly #held = new Map<string, string>();
  #bytes = 0;

  constructor(ignore: readonly string[], signal: AbortSignal | undefined) {
    this.#ignore = ignore;
    this.#signal = signal;
  }

  /** @param counts whether it matters how many values are equal */
  async compare(a: Placed, b: Placed, counts = false): Promise<Compared> {
    for (const one of [a, b]) {
      const problem = one.step.row === undefined ? 'It is no longer in the store.' : one.meta?.problem?.message;
      if (problem !== undefined) return { unread: one, reason: problem };
    }
    const known = await this.#stored(a, b, counts);
    if (known) return { diff: known };
    const [before, after] = [await this.#text(a), await this.#text(b)];
    if ('reason' in before) return { unread: a, ...before };
    if ('reason' in after) return { unread: b, ...after };
    return { diff: diffJson(before.text, after.text, { ignore: this.#ignore }) };
  }

  /** For the message of a failed step, which may be in its state. */
  async state(one: Placed): Promise<State | undefined> {
    const read = await this.#text(one);
    return 'text' in read ? { text: read.text, revision: one.meta?.revision ?? '' } : undefined;
  }

  async #stored(a: Placed, b: Placed, counts: boolean): Promise<Diff | undefined> {
    const options = { ignore: this.#ignore, signal: this.#signal };
    const [old, own] = [a, b].map(({ source, step }) => ({ source, ref: step.ref }));
    if (!old || !own) return undefined;
    return (counts ? largeDiff : storedDiff)(old, own, options).catch(ifUnread);
  }

  async #text({ source, step, meta }: Placed): Promise<{ text: string } | { reason: string }> {
    const key = `${source.info.id} ${refKey(step.ref)}`;
    const held = this.#held.get(key);
    if (held !== undefined) return { text: held };
    if ((meta?.sizeBytes ?? 0) > RUN_LIMITS.stateBytes) return { reason: 'Its state is larger than 1 MB.' };
    if (this.#bytes > RUN_LIMITS.bytes) return { reason: 'More than 100 MB were read before it.' };
    const read = await readText(source, meta === undefined ? step.ref : refOfMeta(meta));
    if ('reason' in read) return read;
    this.#bytes += read.text.length;
    this.#held.set(key, read.text);
    const [oldest] = this.#held.keys();
    if (this.#held.size > HELD && oldest !== undefined) this.#held.delete(oldest);
    return read;
  }
}

async function readText(source: CheckpointSource, ref: CheckpointRef): Promise<{ text: string } | { reason: string }> {
  try {
    const state = await source.state(ref, { mostCharacters: RUN_LIMITS.stateBytes });
    return state === undefined ? { reason: 'It is no longer in the store.' } : { text: state.text };
  } catch (error) {
    if (InspectorError.is(error)) return { reason: error.message };
    throw error;
  }
}

/** Its text says why. */
function ifUnread(cause: unknown): undefined {
  if (!InspectorError.is(cause)) throw cause;
}
