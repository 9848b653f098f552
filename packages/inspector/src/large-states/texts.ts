/** Texts of states with their indexes, kept by revision while questions about them go on. */
import { createHash } from 'node:crypto';
import { indexJson, InspectorError, noCheckpoint, refKey } from '@checkpoint-inspector/core';
import type { CheckpointSource, JsonIndex, State, StateDiff } from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { KEPT_CHARACTERS } from './limits.ts';
import type { StateAt } from './types.ts';

export interface KeptText {
  readonly text: string;
  readonly hash: string;
  readonly derived?: string;
  /** @throws InspectorError unreadable */
  index(): JsonIndex;
}

interface KeptRaw {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

type Find = (at: StateAt) => Promise<CheckpointSource>;

/** One cache for one thread. The oldest text goes first. */
export class Texts {
  readonly #find: Find;
  readonly #most: number;
  readonly #kept = new Map<string, KeptText>();
  readonly #reading = new Map<string, Promise<KeptText>>();
  #raw: { readonly key: string; readonly value: KeptRaw } | undefined;

  constructor(find: Find, mostCharacters = KEPT_CHARACTERS) {
    this.#find = find;
    this.#most = mostCharacters;
  }

  /** @throws InspectorError not_found | changed | unreadable | locked */
  async text(at: StateAt): Promise<KeptText> {
    const known = at.hash === undefined ? undefined : this.#kept.get(keyOf(at, at.hash));
    if (known) return this.#keep(at, known);
    const place = `${at.store} ${refKey(at.ref)}`;
    const reading = this.#reading.get(place) ?? this.#read(at).finally(() => this.#reading.delete(place));
    this.#reading.set(place, reading);
    const found = await reading;
    if (at.hash !== undefined && found.hash !== at.hash) throw changed(at);
    return this.#keep(at, found);
  }

  /** What the store itself knows of two of its states. @throws InspectorError changed */
  async diff(a: StateAt, b: StateAt, ignore: readonly string[], signal?: AbortSignal): Promise<StateDiff | undefined> {
    const [before, after] = [await this.#find(a), await this.#find(b)];
    const known = await storedDiff({ source: before, ref: a.ref }, { source: after, ref: b.ref }, { ignore, signal });
    const hashed = [a, b].map((at, nth) => ({
      at,
      isSame: at.hash === undefined || at.hash === known?.revisions?.[nth],
    }));
    // Which states these are can't be told, but their texts can.
    if (known?.revisions === undefined) return hashed.every(({ isSame }) => isSame) ? known : undefined;
    for (const { at, isSame } of hashed) if (!isSame) throw changed(at);
    return known;
  }

  /** The stored bytes; those asked for last are kept. @throws InspectorError not_found | changed */
  async raw(at: StateAt, hash?: string): Promise<KeptRaw> {
    const key = `${at.store} ${refKey(at.ref)}`;
    if (hash !== undefined && this.#raw?.key === key && this.#raw.value.hash === hash) return this.#raw.value;
    const bytes = await (await this.#find(at)).raw?.(at.ref);
    if (bytes === undefined) throw noCheckpoint(at.ref);
    const value = { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
    this.#raw = { key, value };
    if (hash !== undefined && value.hash !== hash) throw changed(at);
    return value;
  }

  /** Nothing of a closed store stays in memory. */
  forget(store: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${store} `)) this.#kept.delete(key);
    if (this.#raw?.key.startsWith(`${store} `)) this.#raw = undefined;
  }

  async #read(at: StateAt): Promise<KeptText> {
    const state = await (await this.#find(at)).state(at.ref);
    if (state === undefined) throw noCheckpoint(at.ref);
    return this.#kept.get(keyOf(at, state.revision)) ?? withIndex(state);
  }

  #keep(at: StateAt, text: KeptText): KeptText {
    const key = keyOf(at, text.hash);
    this.#kept.delete(key);
    this.#kept.set(key, text);
    let characters = [...this.#kept.values()].reduce((sum, one) => sum + one.text.length, 0);
    for (const [oldest, one] of this.#kept) {
      if (characters <= this.#most || oldest === key) break;
      this.#kept.delete(oldest);
      characters -= one.text.length;
    }
    return text;
  }
}

/** A revision tells what a text is only within its own store. */
const keyOf = (at: StateAt, hash: string): string => `${at.store} ${hash}`;

function withIndex({ revision, ...state }: State): KeptText {
  let index: JsonIndex | undefined;
  return { ...state, hash: revision, index: () => (index ??= indexJson(state.text)) };
}

const changed = ({ ref }: StateAt): InspectorError =>
  new InspectorError('changed', `Checkpoint "${ref.id}" was saved again after it was shown.`, { data: { ...ref } });
