/** What is asked about large states, and what comes back: plain data that passes between threads. */
import type { RowsOfWay } from '../history/steps.ts';
import type {
  CheckpointRef,
  Explanation,
  JsonMatch,
  Part,
  PartQuery,
  Path,
  Plan,
  StateValue,
  StoreId,
  SystemRequest,
  WireError,
} from '@checkpoint-inspector/core';
import type { Asked } from '../explain/explain.ts';
import type { StepChange } from '../export/step-change.ts';
import type { StoreOrigin } from '../stores/types.ts';

/** A checkpoint as it is asked about. */
export interface StateAt {
  readonly store: StoreId;
  readonly ref: CheckpointRef;
  /** Of the state that the asker saw: a kept text may answer, another state is `changed`. */
  readonly hash?: string;
}

export interface TextHead {
  readonly hash: string;
  readonly derived?: string;
  /** The span asked for, in UTF-16 code units of the text. */
  readonly from: number;
  readonly to: number;
  /** Of that span as UTF-8. */
  readonly bytes: number;
}

export interface RawHead {
  readonly hash: string;
  readonly bytes: number;
}

export type PartAnswer = Part & { readonly hash: string };

export interface FindAnswer {
  readonly items: readonly JsonMatch[];
  readonly hash: string;
  /** Where to go on; absent when the whole text was searched. */
  readonly next?: number;
  /** Characters of the text, and how many of them were searched. */
  readonly length: number;
  readonly reached: number;
}

export interface FindStateQuery {
  readonly words: string;
  readonly from?: number;
  readonly limit: number;
}

export interface Blob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly mime?: string;
}

/** A change that writes a whole state. */
export type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

/** Every question by its name: what goes in, what comes out. */
export interface Questions {
  readonly text: { readonly in: StateAt & { readonly path?: string }; readonly out: TextHead };
  readonly piece: {
    readonly in: StateAt & { readonly from: number; readonly to: number };
    readonly out: { readonly bytes: Uint8Array<ArrayBuffer>; readonly next: number };
  };
  readonly part: { readonly in: StateAt & { readonly query: PartQuery }; readonly out: PartAnswer };
  readonly find: { readonly in: StateAt & { readonly query: FindStateQuery }; readonly out: FindAnswer };
  readonly blob: { readonly in: StateAt & { readonly path: string }; readonly out: Blob };
  readonly raw: { readonly in: StateAt; readonly out: RawHead };
  readonly rawPiece: {
    readonly in: StateAt & { readonly rawHash: string; readonly from: number; readonly to: number };
    readonly out: { readonly bytes: Uint8Array<ArrayBuffer> };
  };
  /** The value at a path alone. */
  readonly value: { readonly in: StateAt & { readonly path: Path }; readonly out: StateValue };
  /** Where the value at a path of one state is in another. */
  readonly place: {
    readonly in: { readonly one: StateAt; readonly other: StateAt; readonly path: Path };
    readonly out: { readonly place?: Path };
  };
  readonly diff: {
    readonly in: { readonly a: StateAt; readonly b: StateAt; readonly ignore: readonly string[] };
    /** The JSON of the answer. */
    readonly out: { readonly bytes: Uint8Array<ArrayBuffer> };
  };
  /** What a step changed, as a report tells it. */
  readonly change: {
    readonly in: {
      readonly a: StateAt;
      readonly b: StateAt;
      readonly ignore: readonly string[];
      readonly description?: string;
    };
    readonly out: StepChange;
  };
  /** Tells what is known so far, too. */
  readonly explanation: {
    readonly in: { readonly store: StoreId; readonly asked: Asked; readonly facts: Explanation };
    readonly out: Explanation;
  };
  readonly steps: {
    readonly in: {
      /** The oldest first; `undefined` where it is known that none can be read. */
      readonly states: readonly (StateAt | undefined)[];
      readonly ignore: readonly string[];
      readonly isCut: boolean;
    };
    readonly out: RowsOfWay;
  };
  /** What a copy or an edit would do. The text of an edit isn't sent back with the request in it. */
  readonly plan: { readonly in: { readonly store: StoreId; readonly request: CopyRequest }; readonly out: Plan };
  /** The value of a JSON text in UTF-8. */
  readonly json: {
    readonly in: { readonly bytes: Uint8Array<ArrayBuffer> };
    readonly out: { readonly value: unknown };
  };
}

export type QuestionName = keyof Questions;

/** Whoever answers: this thread or another one. */
export interface Answers {
  ask<N extends QuestionName>(
    name: N,
    input: Questions[N]['in'],
    signal?: AbortSignal,
    part?: (output: Questions[N]['out']) => void,
  ): Promise<Questions[N]['out']>;
}

export type ToWorker =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly name: QuestionName;
      readonly input: Questions[QuestionName]['in'];
      readonly origins: readonly StoreOrigin[];
    }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'forget'; readonly store: string };

export type FromWorker =
  | { readonly id: number; readonly part: Questions[QuestionName]['out'] }
  | { readonly id: number; readonly output: Questions[QuestionName]['out'] }
  | { readonly id: number; readonly error: WireError['error'] };

/** Buffers that are handed over instead of copied. */
export function transferOf(passed: Questions[QuestionName]['in' | 'out']): ArrayBuffer[] {
  return 'bytes' in passed && passed.bytes instanceof Uint8Array ? [passed.bytes.buffer] : [];
}
