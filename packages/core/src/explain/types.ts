import type { CheckpointRef } from '../model.ts';

/** A checkpoint by what people call it. */
export interface StepRef extends CheckpointRef {
  readonly seq: number;
  readonly stepIndex?: number;
  /** The step's name or the system's own words. */
  readonly description?: string;
}

/** `check_failed`: the run ended, and its state has a check that failed. */
export type Outcome = 'failed' | 'check_failed' | 'waiting' | 'running' | 'completed' | 'unknown';

/**
 * `outside`: a service, a quota, a timeout; `threw`: a step threw; `gave_up`: a limit of turns or steps was reached;
 * `waiting`: for a person.
 */
export type FailureKind = 'outside' | 'threw' | 'check_failed' | 'gave_up' | 'waiting';

/** Where a value stood before it was written: `step` is a tool's answer or a message, and `from` says which. */
export interface Origin {
  readonly from: 'tool' | 'user' | 'agent' | 'state' | 'nowhere';
  /** The tool, where one is named. */
  readonly name?: string;
  /** The checkpoint in which it first stood there. */
  readonly ref?: StepRef;
}

/** A change of data by one step: its most telling one, and how many more there are. Values are JSON text as stored. */
export interface Write {
  readonly ref: StepRef;
  readonly agent?: string;
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /** Length of the whole value, where the text here is cut. */
  readonly beforeLength?: number;
  readonly afterLength?: number;
  readonly origin?: Origin;
  /** Other data that the same step changed. */
  readonly more?: number;
}

/** What the error names, and who wrote it last; without `ref` it was never written in this run. */
export interface Named {
  /** As the error has it. */
  readonly text: string;
  readonly path?: string;
  readonly ref?: StepRef;
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

/** A value at the end of one run, and the step that wrote it last. */
export interface EndValue {
  readonly value?: string;
  readonly valueLength?: number;
  readonly ref?: StepRef;
}

export interface Against {
  readonly task: string;
  readonly end: StepRef;
  /** Why this run was taken: a branch of the same task, the last good run of the same name, or it was asked for. */
  readonly chosen: 'fork' | 'name' | 'asked';
  readonly differs: readonly { readonly path: string; readonly here: EndValue; readonly there: EndValue }[];
  /** More values that differ than are listed. */
  readonly more?: number;
  /** Calls that the other run made and this one never did. */
  readonly missing: readonly { readonly call: string; readonly args?: string; readonly ref?: StepRef }[];
}

/** The first checkpoint at which a value is not what it should be. */
export interface CheckAnswer {
  readonly path: string;
  /** JSON text. */
  readonly expected: string;
  readonly holds: boolean;
  /** Absent where it holds, and where it was never written. */
  readonly firstBroken?: StepRef;
  /** No step of this run changed it. */
  readonly never?: true;
  /** What is there at the end. */
  readonly found?: string;
}

/** A value unlike its peers. It says so and no more: nothing follows from it. */
export interface Unusual {
  readonly ref: StepRef;
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
  readonly reason: string;
}

/**
 * Facts about a task in a fixed order: what is known, what it wrote, what the error names, a good run, a check, and a
 * few unusual values. It claims no cause.
 * @example const { outcome, error, lastGood, writes } = await explain(source, { task: 'run-1' });
 */
export interface Explanation {
  readonly task: string;
  readonly outcome: Outcome;
  readonly kind?: FailureKind;
  readonly error?: {
    readonly message: string;
    readonly ref: CheckpointRef;
    readonly node?: string;
    /** Where a state says it: the entry of a check that failed. */
    readonly path?: string;
    /** The store has no message: it is the name of the step. */
    readonly unsaid?: true;
  };
  /** `before`: the step that failed ran on this checkpoint and saved none. */
  readonly failingStep?: StepRef & { readonly node?: string; readonly before?: true };
  /** The newest readable checkpoint before the failure that did not fail itself, by the store's record alone. */
  readonly lastGood?: StepRef & {
    /** Steps back from the failure. */
    readonly back: number;
  };
  /** The checkpoint that continued after the failure, if any. */
  readonly recovered?: StepRef & { readonly time?: string };
  /** Of a run that gave up: the call that it repeated. */
  readonly repeated?: { readonly call: string; readonly args: string; readonly times: number };
  /** Newest first, one of each step. */
  readonly writes: readonly Write[];
  readonly named: readonly Named[];
  readonly against?: Against;
  readonly check?: CheckAnswer;
  /** At most three. */
  readonly unusual: readonly Unusual[];
  /** What else is to be said, as that only a conversation was saved. */
  readonly note?: string;
  /** Checkpoints that were looked at so far, of those on the branch. */
  readonly examined: {
    readonly n: number;
    readonly of: number;
    readonly gaps: readonly { readonly ref: CheckpointRef; readonly seq: number; readonly reason: string }[];
    /** The rest is still being looked at. */
    readonly partial?: true;
  };
}
