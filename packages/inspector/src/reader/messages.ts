/** What passes between the server and a process that reads one database: plain data. */
import type { StoreEvent, Match, StoreId, StoreInfo, Target, WireError } from '@checkpoint-inspector/core';

/** Members of a source that answer once, and whether the source has the optional ones. */
export const METHODS = [
  'tasks',
  'checkpoints',
  'meta',
  'state',
  'raw',
  'latest',
  'find',
  'beside',
  'diff',
  'part',
  'values',
  'capability',
  'damage',
  'unlock',
  'plan',
  'evictedNext',
  'save',
] as const;
export type Method = (typeof METHODS)[number];

/** Members of a source that answer with one thing after the other, and how many of them go into a message. */
export const STREAMS = { lineage: 1_000, lineageParts: 1 } as const;
export type Stream = keyof typeof STREAMS;

export interface Opened {
  readonly info: StoreInfo;
  readonly methods: readonly (Method | Stream)[];
}

/** Which store of which system: all that a process needs to open it again. */
export interface OpenCall {
  readonly call: 'open';
  readonly system: string;
  readonly target: Target;
  readonly label: string;
  readonly location: string;
  /** Ids of the sources in their order; absent while nobody knows how many there are. */
  readonly ids?: readonly StoreId[];
  /** Places of the sources that are watched. */
  readonly watched?: readonly number[];
}

export interface BeginCall {
  readonly call: 'begin';
  readonly source: number;
  readonly what: Stream;
  readonly task: string;
  /** Of `lineage`: what its rows are to say besides. */
  readonly facts?: boolean | undefined;
  readonly stream: number;
}

export type Call =
  | { readonly call: 'detect'; readonly system: string; readonly target: Target }
  | OpenCall
  | { readonly call: 'ask'; readonly source: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly call: 'watch'; readonly source: number }
  | BeginCall
  | { readonly call: 'next'; readonly stream: number }
  | { readonly call: 'end'; readonly stream: number };

export interface Answers {
  readonly detect: Match | undefined;
  readonly open: readonly Opened[];
  readonly ask: unknown;
  readonly watch: undefined;
  readonly begin: undefined;
  readonly next: { readonly items: readonly unknown[]; readonly done: boolean };
  readonly end: undefined;
}

export interface ToReader {
  readonly id: number;
  readonly call: Call;
}

export type FromReader =
  | { readonly id: number; readonly output: unknown; readonly info?: readonly StoreInfo[] }
  | { readonly id: number; readonly error: WireError['error'] }
  | { readonly changed: StoreEvent; readonly source: number };
