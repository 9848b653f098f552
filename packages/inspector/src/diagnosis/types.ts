import type { CheckpointRef, Suspect } from '@checkpoint-inspector/core';

/** A checkpoint of the branch, by what people call it. */
export interface DiagnosisStep {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
}

/** A suspect as it is sent: long values are cut, and the length of the whole is named. */
export interface SentSuspect extends Suspect {
  readonly stepIndex?: number;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

/** What is wrong with a task, where, and from which checkpoint to go on. It suggests, it never claims. */
export interface Diagnosis {
  /** In the words of the store; else what the state itself says. Absent where nothing failed. */
  readonly error?: {
    readonly message: string;
    readonly checkpoint: CheckpointRef;
    readonly seq: number;
    readonly stepIndex?: number;
    readonly node?: string;
    /** `status`: the store reports a failure; `state`: only its state does, as with a check of a completed task. */
    readonly from: 'status' | 'state';
    /** Of what only the state says: an entry of a list of checks, a field for errors, a status. */
    readonly kind?: 'check' | 'error' | 'status';
    /** The store has no message: it is the name of the step. */
    readonly unsaid?: true;
  };
  /** `before`: the step that failed ran on this checkpoint and saved none. Of what only the state says, who wrote it. */
  readonly failingStep?: DiagnosisStep & { readonly node?: string; readonly before?: true };
  /** The newest checkpoint that did not fail before the first suspect; without a suspect, before the failure. */
  readonly lastGood?: DiagnosisStep & {
    /** Steps back from the failure. */
    readonly back: number;
    /** Checkpoints after it that did not fail and hold the suspect value, in `seq`. */
    readonly holds?: { readonly from: DiagnosisStep; readonly to: DiagnosisStep };
  };
  /** The checkpoint that continued from the failure, where one did. */
  readonly recovered?: DiagnosisStep & { readonly time?: string };
  /** Likeliest first, at most five. */
  readonly suspects: readonly SentSuspect[];
  /** `unclear`: it failed and no change is more likely the cause than not, so its suspects are guesses; `healthy`: nothing failed. */
  readonly outcome: 'suspects' | 'unclear' | 'healthy';
  /** Checkpoints that were read, of those on the branch. */
  readonly examined: {
    readonly n: number;
    readonly of: number;
    readonly gaps: readonly { readonly ref: CheckpointRef; readonly seq: number; readonly reason: string }[];
    /** Older checkpoints beyond the limits, which were not looked at. */
    readonly outside?: number;
  };
}
