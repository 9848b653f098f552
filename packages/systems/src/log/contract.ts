/** What a system says of its logs: files of one record a line that only grow. A checkpoint is the state after a line. */
import type {
  Beside,
  CheckpointMeta,
  CheckpointRef,
  GrownStates,
  Latest,
  Plan,
  RowCapabilities,
  StoreId,
  StoreInfo,
  SystemRequest,
} from '@checkpoint-inspector/core';
import type { FileEntry } from '@checkpoint-inspector/io';

/** A line without its line break; empty ones aren't told. The bytes are only good during the call. */
export interface Line {
  readonly bytes: Buffer;
  /** Where it begins in its file. */
  readonly at: number;
  /** Behind it and its line break. */
  readonly end: number;
  /** In none of the whole records on its line. */
  readonly isLost?: true;
}

type ToldKey =
  | 'description'
  | 'trigger'
  | 'tokenUsage'
  | 'costUsd'
  | 'durationMs'
  | 'stepIndex'
  | 'agentId'
  | 'problem';
type Told = { readonly [Key in ToldKey]?: CheckpointMeta[Key] | undefined };

/** A checkpoint: the state after a line. A member that is `undefined` is as good as absent. */
export interface Mark extends Pick<CheckpointMeta, 'id' | 'status'>, Told {
  /** Behind its last line, in bytes of its file. */
  readonly end: number;
  /** Where its lines begin; default: behind the mark before. */
  readonly start?: number | undefined;
  /** Where a replay may begin, because a line there has everything before it. Default: the beginning. */
  readonly from?: number | undefined;
  /** ISO 8601, as stored. */
  readonly time?: string | undefined;
  readonly error?: string | undefined;
  /** Default: the mark before, or what the file is based on. */
  readonly parent?: CheckpointRef | 'none' | undefined;
}

/** What one file is, from its name and its first lines. */
export interface LogFacts {
  /** Id of the session it belongs to; its files follow each other in the order of their names. */
  readonly session: string;
  readonly title?: string | undefined;
  /** In these lines nobody has answered yet: what gives the session its title may follow. */
  readonly isEarly?: boolean | undefined;
  readonly agentId?: string | undefined;
  readonly kind?: 'archived' | undefined;
  readonly gitCommit?: string | undefined;
  /** By what other files name it as their base; default: the session. */
  readonly key?: string | undefined;
  /** The lines before its first one are those of another file, up to a byte. */
  readonly base?: { readonly key: string; readonly end: number } | undefined;
  /** The checkpoint of another session that began this one: a call of a sub-agent. */
  readonly begunBy?: CheckpointRef | undefined;
  /** In words, for a file that nothing is continued from: beside others of its session it is left out, and this is a note. */
  readonly leftOver?: string | undefined;
}

/** A log file with its place below the root. */
export interface LogFile {
  readonly path: string;
  /** Relative, with `/`. */
  readonly name: string;
  readonly entry: FileEntry;
}

/**
 * One pass over lines, to find the marks. It may begin at any line: then only what is told of the lines seen counts, but
 * ids and statuses have to be the same. It keeps no more than it needs to go on.
 */
export interface Outline {
  line(line: Line): void;
  /** Marks that later lines may still change: a turn or a call without its end. They come behind the settled ones. */
  open?(): readonly Mark[];
  /** What the system itself makes of the session, where damage lets it differ. Asked once all lines were told. */
  note?(): string | undefined;
}

/** The state after a prefix. The lines of a file's bases come first. */
export interface Replay {
  line(line: Line): void;
  /** JSON text, made of exact slices of the stored lines. */
  text(mark: Mark): string;
  /** Characters that are kept so far; too many are refused. */
  readonly size: number;
  /** The same up to here, to continue by itself. Where that is cheap, histories are read backwards without beginning again. */
  copy?(): Replay;
}

/**
 * What a state has gained since a line, of logs whose states end with a list that later lines add to: two states are
 * compared by it without the elements that both have.
 */
export interface Growth {
  line(line: Line): void;
  /** What was told so far is what both states have; what comes from here on is new. */
  begin(): void;
  /** `undefined` where the later lines changed elements of before, so that the states have to be read. */
  grown(): GrownStates | undefined;
  /** The same up to here, before `begin`. It is cheap, because nothing is kept of elements that both have. */
  copy(): Growth;
}

/** What is known of a store without its logs: names kept in an index, what to know about it. */
export interface LogExtras {
  readonly titles?: ReadonlyMap<string, string>;
  readonly notes?: readonly string[];
}

/** A mark in its file. */
export interface FoundMark {
  readonly ref: CheckpointRef;
  readonly mark: Mark;
  readonly start: number;
  readonly file: LogFile;
  readonly facts: LogFacts;
  readonly isLatest: boolean;
}

/** A part of a file that a state is read from; several make a chain, the oldest first. */
export interface Slice {
  readonly file: LogFile;
  readonly start: number;
  readonly end: number;
}

/** What a plan may ask. */
export interface LogBasis {
  readonly store: StoreId;
  readonly root: string;
  readonly now: Date;
  readonly latest: Latest;
  /** @throws InspectorError not_found */
  readonly mark: (ref: CheckpointRef) => Promise<FoundMark>;
  /** Every mark of a task, oldest first. */
  readonly marks: (task: string) => Promise<readonly FoundMark[]>;
  /** Every log, with what it is. */
  readonly files: () => Promise<readonly { readonly file: LogFile; readonly facts: LogFacts }[]>;
  /** What a mark's state is read from. @throws InspectorError unreadable where a base is missing */
  readonly chain: (mark: FoundMark) => Promise<readonly Slice[]>;
  readonly lines: (slice: Slice, each: (line: Line) => void) => Promise<void>;
  readonly state: (ref: CheckpointRef) => Promise<string>;
  /** The stored bytes of a mark's own lines. */
  readonly raw: (mark: FoundMark) => Promise<Uint8Array>;
}

/** Reads a log that isn't kept as it was written: a compressed one. */
export interface LogCodec {
  /** All bytes. @throws InspectorError unreadable | too_large */
  readonly decode: (stored: Uint8Array) => Promise<Buffer>;
  /** At least so many, where there are, from a beginning of what is stored. Absent: all of it is needed. @throws as decode */
  readonly head?: (stored: Uint8Array, wanted: number) => Buffer;
}

/** @example const source = await LogSource.open(options, codexRules) */
export interface LogRules {
  readonly system: string;
  readonly info: Pick<StoreInfo, 'latestRule' | 'volatilePaths' | 'capabilities'> &
    Partial<Pick<StoreInfo, 'retention' | 'sharing' | 'notes'>>;
  /** How a state comes from lines, in words: shown beside it. */
  readonly derived: string;
  /** Which files below the root are logs, by their relative names. */
  readonly accepts: (name: string) => boolean;
  /** Which folders below the root may have some. */
  readonly enters: (name: string) => boolean;
  readonly codec?: (name: string) => LogCodec | undefined;
  readonly describe: (file: LogFile, head: readonly Line[]) => LogFacts;
  /** Told each mark that no later line of the file changes. */
  readonly outline: (settle: (mark: Mark) => void, file: LogFile, facts: LogFacts) => Outline;
  readonly replay: () => Replay;
  /** Where states are compared without reading them; default: their texts are compared. */
  readonly growth?: () => Growth;
  readonly extras?: (root: string) => Promise<LogExtras>;
  /** Errors and questions that a checkpoint waits with; default: its error. */
  readonly beside?: (mark: FoundMark, lines: readonly Line[]) => Beside | undefined;
  /** What this one refuses, with the reason; `count` are the marks of its task. */
  readonly capability?: (mark: FoundMark, count: number) => RowCapabilities;
  /** Asked only where `info` says that it can be done. */
  readonly plan?: (request: SystemRequest, basis: LogBasis) => Promise<Plan>;
}

export interface LogOptions {
  readonly id: StoreId;
  readonly label: string;
  readonly location: string;
  /** Folder that the names of files are relative to, absolute. */
  readonly root: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
  /** Told of bytes that are read; for tests. */
  readonly onRead?: (bytes: number, path: string) => void;
  /** Told how many files and folders are looked at; for tests. */
  readonly onLook?: (count: number) => void;
  /** Most characters that a state may have. */
  readonly maxState?: number;
}
