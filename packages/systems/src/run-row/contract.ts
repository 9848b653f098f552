/**
 * Stores that keep one row for a run and overwrite it at every step, with the steps inside: Mastra, VoltAgent. A
 * checkpoint is a place in the run, `derived` from the row; the newest is the row itself, exactly as stored.
 */
import type { CheckpointRef, CheckpointStatus, Problem } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';

/** A row without its state. */
export interface RunHead {
  readonly rowid: bigint;
  /** The task: the run's id. */
  readonly run: string;
  /** The workflow. */
  readonly name: string;
  /** Set where a column that names the row isn't text: such a row is shown, and never changed. */
  readonly oddKey?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Of the columns that hold the state. */
  readonly sizeBytes: number;
}

/** A place in a run. */
export interface RunStep {
  /** Steps that have ended; 0 is the input. */
  readonly index: number;
  /** Names of the steps that ended last. */
  readonly description: string;
  /** ISO 8601 UTC. */
  readonly endedAt?: string;
  readonly durationMs?: number;
  /** Of what these steps added to the row. */
  readonly sizeBytes: number;
}

/** What a row says of its run. */
export interface Run {
  /** Oldest first, never empty; the last is the row itself. */
  readonly steps: readonly RunStep[];
  readonly totalSteps?: number;
  readonly status: CheckpointStatus;
  readonly error?: string;
  readonly labels: readonly string[];
  /** Where the run was taken up from, as the row records it. */
  readonly parent?: CheckpointRef;
}

/** The text of a row, read once for all that is asked of it. */
export interface RunText {
  readonly run: Run;
  /** What the row held after so many steps, as the system continues with it. @example stateAfter(2) */
  readonly stateAfter: (index: number) => string;
}

/** What a system says of its rows. */
export interface RunRules {
  readonly system: string;
  /** Every row of the table, in no particular order. */
  readonly heads: (database: SqliteDatabase) => readonly RunHead[];
  /** The state as stored; `undefined` where the row is gone. @throws InspectorError unreadable | too_large */
  readonly text: (database: SqliteDatabase, head: RunHead) => string | undefined;
  /** The bytes that the row holds, or would hold of another state; `undefined` where the row is gone. */
  readonly stored: (database: SqliteDatabase, head: RunHead, text?: string) => Uint8Array | undefined;
  /** A state as it reads once the row holds it: a binary form keeps no spaces. */
  readonly asStored: (database: SqliteDatabase, head: RunHead, text: string) => string;
  /** @throws InspectorError unreadable: it isn't a run */
  readonly read: (text: string) => RunText;
  /** How the older states are made, in words. */
  readonly derived: string;
}

/** A checkpoint: a place in the run of one row. */
export interface Place {
  readonly ref: CheckpointRef;
  readonly head: RunHead;
  readonly step: RunStep;
  readonly run?: Run;
  /** It is the row itself. */
  readonly isRow: boolean;
  readonly isLatest: boolean;
  /** 1-based, oldest = 1. */
  readonly seq: number;
  readonly parent?: CheckpointRef;
  readonly problem?: Problem;
}

/** @example idAt('run-1', 2) // 'run-1:2' */
export const idAt = (run: string, index: number): string => `${run}:${index}`;
