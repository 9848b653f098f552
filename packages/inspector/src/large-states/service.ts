/** Answers about states, off the event loop where they are large. */
import {
  compact,
  InspectorError,
  isChangeable,
  overlaid,
  refKey,
  refOfMeta,
  stateBytesOf,
} from '@checkpoint-inspector/core';
import type {
  Changeable,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  Explanation,
  Path,
  Plan,
  StateValue,
  StoreId,
  Unwatch,
} from '@checkpoint-inspector/core';
import type { Asked } from '../explain/explain.ts';
import type { StepChange } from '../export/step-change.ts';
import type { LargeValues, StoredState } from '../history/branch.ts';
import { answerOf, isCut, isReadable, NOT_ON_LINE, wayBetween, type StepsAnswer } from '../history/steps.ts';
import type { StoreService, StoreOrigin } from '../stores/types.ts';
import { TEXT_BYTES } from '../differences.ts';
import { createAnswers, diffAnswer } from './answers.ts';
import { WorkerHost } from './host.ts';
import { COMPARED_BYTES, COPIED_BYTES, DIFF_BYTES, EXAMINED_MS, LARGE_BYTES, PIECE } from './limits.ts';
import { Texts } from './texts.ts';
import type { Answers, CopyRequest, QuestionName, Questions, RawHead, StateAt, TextHead } from './types.ts';

/** A checkpoint and how large it is stored. */
export interface Sized {
  readonly at: StateAt;
  readonly sizeBytes: number;
}

interface Streamed<Head> {
  readonly head: Head;
  /** Read in pieces, as fast as it is taken. */
  readonly body: () => ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface LargeStates extends LargeValues {
  /** True where reading the state would hold up everything else. */
  isLarge(sized: Sized): boolean;
  /** True where comparing them would. */
  areLarge(about: readonly Sized[]): boolean;
  /** Notes that a small row contains a large state (compressed, assembled), so that it is read elsewhere from now on. */
  grew(at: StateAt, characters: number): void;
  /** @throws InspectorError not_found | changed | unreadable | locked | too_large | busy */
  ask<N extends 'part' | 'find' | 'blob'>(
    name: N,
    input: Questions[N]['in'],
    sizeBytes: number,
    signal?: AbortSignal,
  ): Promise<Questions[N]['out']>;
  /** JSON text: of the state, or of the value at a path. */
  text(sized: Sized, path?: string, signal?: AbortSignal): Promise<Streamed<TextHead>>;
  /** The stored bytes `from`..`to`. */
  raw(
    sized: Sized,
    signal?: AbortSignal,
  ): Promise<RawHead & { body(from: number, to: number): ReadableStream<Uint8Array<ArrayBuffer>> }>;
  /** As `diff`, where the store knows it without reading both states; `undefined` elsewhere, and for small states. */
  storedDiff(
    a: Sized,
    b: Sized,
    ignore: readonly string[],
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** The answer of the diff route as JSON. @throws InspectorError too_large */
  diff(a: Sized, b: Sized, ignore: readonly string[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** What a step changed, as a report tells it; `undefined` where both can be compared at once. */
  change(before: CheckpointMeta, after: CheckpointMeta, ignore: readonly string[]): Promise<StepChange> | undefined;
  /** `undefined` where no other thread can read the branch. */
  explanation(
    store: StoreId,
    asked: Asked,
    facts: Explanation,
    signal: AbortSignal,
    report: (part: Explanation) => void,
  ): Promise<Explanation> | undefined;
  /** Which steps on the way from `a` to `b` changed what differs between them. */
  steps(
    source: CheckpointSource,
    a: CheckpointRef,
    b: CheckpointRef,
    ignore: readonly string[],
    signal?: AbortSignal,
  ): Promise<StepsAnswer>;
  /** The hash of a large state; `undefined` for others, which their source hashes. */
  hash(meta: CheckpointMeta, signal?: AbortSignal): Promise<string> | undefined;
  /** The same store; plans that read or write a large state are made elsewhere. */
  planning(source: CheckpointSource): CheckpointSource;
  /** The value of a JSON text in UTF-8, which is read elsewhere; the bytes are handed over. @throws InspectorError invalid_input */
  json(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /** Gets ready for questions about this checkpoint. */
  expect(sized: Sized): void;
  close(): Promise<void>;
}

interface LargeStatesOptions {
  readonly stores: Pick<StoreService, 'source' | 'origin' | 'list' | 'onEvent'>;
  /** Entry of the reading thread, built from `worker.ts`. Without one everything is read in this thread. */
  readonly worker?: URL;
  readonly idleMs?: number;
  readonly timeLimitMs?: number;
}

/** Texts kept in this thread are small ones, and those of stores that no other thread can open. */
const KEPT_HERE = 32_000_000;

/**
 * @example
 * const states = createLargeStates({ stores, worker: new URL('./state-worker.js', import.meta.url) });
 * const part = await states.ask('part', { store, ref, query }, meta.sizeBytes);
 */
export const createLargeStates = (options: LargeStatesOptions): LargeStates => new StatesOfAnySize(options);

class StatesOfAnySize implements LargeStates {
  readonly #stores: LargeStatesOptions['stores'];
  readonly #texts: Texts;
  readonly #here: Answers;
  readonly #reader: WorkerHost | undefined;
  readonly #comparer: WorkerHost | undefined;
  readonly #examiner: WorkerHost | undefined;
  readonly #grown = new Set<string>();
  readonly #asked = new Set<StoreId>();
  readonly #unwatch: Unwatch;

  constructor({ stores, worker, ...limits }: LargeStatesOptions) {
    this.#stores = stores;
    const find = async (store: StoreId): Promise<CheckpointSource> => stores.source(store);
    this.#texts = new Texts(({ store }) => find(store), KEPT_HERE);
    this.#here = createAnswers(this.#texts, find);
    this.#reader = worker && new WorkerHost({ url: worker, ...limits });
    // A comparison cannot be interrupted: it gets a thread of its own, so that looking continues.
    this.#comparer = worker && new WorkerHost({ url: worker, ...limits, endsWhenGivenUp: true });
    // An explanation reads a whole branch, which may take long where the store is far away.
    this.#examiner =
      worker && new WorkerHost({ url: worker, timeLimitMs: EXAMINED_MS, ...limits, endsWhenGivenUp: true });
    this.#unwatch = stores.onEvent((event) => event.kind === 'stores' && this.#forgetClosed());
  }

  get #hosts(): readonly WorkerHost[] {
    return [this.#reader, this.#comparer, this.#examiner].filter((host) => host !== undefined);
  }

  isLarge({ at, sizeBytes }: Sized): boolean {
    return sizeBytes > LARGE_BYTES || (this.#grown.size > 0 && this.#grown.has(keyOf(at)));
  }

  areLarge(about: readonly Sized[]): boolean {
    const bytes = about.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return bytes > COMPARED_BYTES || about.some((sized) => this.isLarge(sized));
  }

  grew(at: StateAt, characters: number): void {
    if (characters > LARGE_BYTES) this.#grown.add(keyOf(at));
  }

  ask<N extends 'part' | 'find' | 'blob'>(
    name: N,
    input: Questions[N]['in'],
    sizeBytes: number,
    signal?: AbortSignal,
  ): Promise<Questions[N]['out']> {
    return this.#ask(name, input, [{ at: input, sizeBytes }], signal);
  }

  async text(sized: Sized, path?: string, signal?: AbortSignal): Promise<Streamed<TextHead>> {
    const { at } = sized;
    const part = path === undefined ? undefined : await this.#part(at, path, signal);
    if (part !== undefined) return part;
    const head = await this.#ask('text', { ...at, ...compact({ path }) }, [sized], signal);
    const same = { ...at, hash: head.hash };
    const next = async (from: number) =>
      from >= head.to ? undefined : this.#ask('piece', { ...same, from, to: head.to }, [sized]);
    return { head, body: () => streamOf(head.from, next) };
  }

  /** One value from a store that need not read the others for it; a state that was saved again is told by its text. */
  async #part(at: StateAt, path: string, signal?: AbortSignal): Promise<Streamed<TextHead> | undefined> {
    const part = await this.#stores.source(at.store).part?.(at.ref, path, undefined, { signal });
    if (part === undefined || (at.hash !== undefined && at.hash !== part.revision)) return undefined;
    const bytes = new TextEncoder().encode(part.text);
    const head = { hash: part.revision, from: 0, to: part.text.length, bytes: bytes.length };
    return { head, body: () => streamOf(0, async (from) => (from > 0 ? undefined : { bytes, next: bytes.length })) };
  }

  async raw(sized: Sized, signal?: AbortSignal): ReturnType<LargeStates['raw']> {
    const head = await this.#ask('raw', sized.at, [sized], signal);
    const body = (from: number, to: number) =>
      streamOf(from, async (start) => {
        if (start >= to) return undefined;
        const end = Math.min(to, start + PIECE);
        const piece = { ...sized.at, rawHash: head.hash, from: start, to: end };
        const { bytes } = await this.#ask('rawPiece', piece, [sized]);
        return { bytes, next: end };
      });
    return { ...head, body };
  }

  async storedDiff(
    a: Sized,
    b: Sized,
    ignore: readonly string[],
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (Math.max(a.sizeBytes, b.sizeBytes) <= TEXT_BYTES) return undefined;
    const known = await this.#texts.diff(a.at, b.at, ignore, signal);
    return known && diffAnswer(known, ignore);
  }

  async diff(a: Sized, b: Sized, ignore: readonly string[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    for (const sized of [a, b]) checkDiff(sized);
    return (await this.#ask('diff', { a: a.at, b: b.at, ignore }, [a, b], signal)).bytes;
  }

  change(before: CheckpointMeta, after: CheckpointMeta, ignore: readonly string[]): Promise<StepChange> | undefined {
    const [a, b] = [sizedOf(before), sizedOf(after)];
    if (!this.areLarge([a, b])) return undefined;
    return this.#ask('change', { a: a.at, b: b.at, ignore, ...compact({ description: after.description }) }, [a, b]);
  }

  explanation(
    store: StoreId,
    asked: Asked,
    facts: Explanation,
    signal: AbortSignal,
    report: (part: Explanation) => void,
  ): Promise<Explanation> | undefined {
    const origin = this.#stores.origin(store);
    // Of several keys that were given one after the other, only the last is known there.
    if (this.#examiner === undefined || origin === undefined || origin.key !== undefined) return undefined;
    this.#asked.add(store);
    return this.#examiner.ask('explanation', { store, asked, facts }, [origin], signal, report);
  }

  async steps(
    source: CheckpointSource,
    a: CheckpointRef,
    b: CheckpointRef,
    ignore: readonly string[],
    signal?: AbortSignal,
  ): Promise<StepsAnswer> {
    const way = await wayBetween(source, a, b);
    if (way === undefined) return NOT_ON_LINE;
    const sized = way.metas.map((meta) => (isReadable(meta) ? sizedOf(meta) : undefined));
    const known = sized.flatMap((one) => one ?? []);
    const states = sized.map((one) => one?.at);
    const rows = await this.#ask('steps', { states, ignore, isCut: isCut(way) }, known, signal);
    return answerOf(way, rows);
  }

  value(state: StoredState, path: Path, signal?: AbortSignal): Promise<StateValue> | undefined {
    const sized = sizedOf(state);
    return this.isLarge(sized) ? this.#ask('value', { ...sized.at, path }, [sized], signal) : undefined;
  }

  place(one: StoredState, other: StoredState, path: Path, signal?: AbortSignal): Promise<Path | undefined> | undefined {
    const [before, after] = [sizedOf(one), sizedOf(other)];
    if (!this.areLarge([before, after])) return undefined;
    const asked = { one: before.at, other: after.at, path };
    return this.#ask('place', asked, [before, after], signal).then(({ place }) => place);
  }

  hash(meta: CheckpointMeta, signal?: AbortSignal): Promise<string> | undefined {
    const sized = sizedOf(meta);
    return this.isLarge(sized) ? this.#ask('text', sized.at, [sized], signal).then(({ hash }) => hash) : undefined;
  }

  planning(source: CheckpointSource): CheckpointSource {
    if (!isChangeable(source)) return source;
    const plan: Changeable['plan'] = async (request, options) => {
      const elsewhere =
        request.kind !== 'delete' && (await this.#isLargeCopy(source, request))
          ? await this.#planElsewhere(source.info.id, request, options?.signal)
          : undefined;
      return elsewhere ?? source.plan(request, options);
    };
    return overlaid<CheckpointSource & Changeable>(source, { plan });
  }

  async #isLargeCopy(source: CheckpointSource, request: CopyRequest): Promise<boolean> {
    if (this.#comparer === undefined) return false;
    if (request.kind === 'edit' && request.text.length > COPIED_BYTES) return true;
    const meta = await source.meta(request.ref);
    return meta !== undefined && (meta.sizeBytes > COPIED_BYTES || this.isLarge(sizedOf(meta)));
  }

  async #planElsewhere(store: StoreId, request: CopyRequest, signal?: AbortSignal): Promise<Plan | undefined> {
    const origin = this.#stores.origin(store);
    if (this.#comparer === undefined || origin === undefined) return undefined;
    try {
      const { view, job } = await this.#comparer.ask('plan', { store, request }, [origin], signal);
      return { view: { ...view, store, request }, job };
    } catch (error) {
      // Of several keys that were given one after the other, only the last is known there.
      if (InspectorError.is(error) && (error.code === 'locked' || error.code === 'wrong_key')) return undefined;
      throw error;
    }
  }

  async json(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
    const read = this.#comparer?.ask('json', { bytes }, []) ?? this.#here.ask('json', { bytes });
    return (await read).value;
  }

  expect(sized: Sized): void {
    if (this.isLarge(sized) && this.#stores.origin(sized.at.store)) this.#reader?.warm();
  }

  async close(): Promise<void> {
    this.#unwatch();
    await Promise.all(this.#hosts.map((host) => host.close()));
  }

  /** The other thread, where it can open all these stores; a store in memory can only be read here. */
  async #ask<N extends QuestionName>(
    name: N,
    input: Questions[N]['in'],
    about: readonly Sized[],
    signal?: AbortSignal,
  ): Promise<Questions[N]['out']> {
    for (const { at } of about) this.#asked.add(at.store);
    const origins = about.flatMap(({ at }) => this.#stores.origin(at.store) ?? []);
    const compares = COMPARING.has(name);
    const host = compares ? this.#comparer : this.#reader;
    const isHeavy = compares ? this.areLarge(about) : about.some((sized) => this.isLarge(sized));
    try {
      if (host === undefined || origins.length < about.length || !isHeavy)
        return await this.#here.ask(name, input, signal);
      return await host.ask(name, input, unique(origins), signal);
    } catch (error) {
      if (signal?.aborted) throw new InspectorError('busy', 'The request was cancelled.', { cause: error });
      throw error;
    }
  }

  #forgetClosed(): void {
    const open = new Set(this.#stores.list().map(({ id }) => id));
    for (const store of this.#asked) {
      if (open.has(store)) continue;
      this.#asked.delete(store);
      this.#texts.forget(store);
      for (const host of this.#hosts) host.forget(store);
    }
  }
}

const COMPARING: ReadonlySet<QuestionName> = new Set(['diff', 'change', 'steps', 'place']);

const keyOf = ({ store, ref }: StateAt): string => `${store} ${refKey(ref)}`;

const unique = (origins: readonly StoreOrigin[]): StoreOrigin[] => [
  ...new Map(origins.map((origin) => [origin.id, origin])).values(),
];

function checkDiff({ at, sizeBytes }: Sized): void {
  if (sizeBytes <= DIFF_BYTES) return;
  const size = `${Math.round(sizeBytes / 1e6)} MB`;
  throw new InspectorError('too_large', `Checkpoint "${at.ref.id}" has ${size}: too much to compare as a whole.`, {
    remedy: 'Open each state in its State tab, which loads it in parts, or run `checkpoint-inspector diff`.',
    data: { id: at.ref.id, sizeBytes },
  });
}

interface Step {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly next: number;
}

function streamOf(
  start: number,
  step: (from: number) => Promise<Step | undefined>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let from = start;
  return new ReadableStream({
    async pull(controller) {
      const piece = await step(from);
      if (piece === undefined) return controller.close();
      from = piece.next;
      controller.enqueue(piece.bytes);
    },
  });
}

/** The checkpoint of a row, with the hash where the row names one. */
export function sizedOf(state: StoredState, hash?: string): Sized {
  const known = hash ?? state.revision;
  return { at: compact({ store: state.store, ref: refOfMeta(state), hash: known }), sizeBytes: stateBytesOf(state) };
}
