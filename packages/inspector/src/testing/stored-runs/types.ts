import type { CaseStep } from '@checkpoint-inspector/core/testing';

/** Every system that a made-up run can be stored in; Agent Framework in both of its forms. */
export const STORED_SYSTEMS = [
  'native',
  'langgraph',
  'kaizen',
  'agent-framework-python',
  'agent-framework',
  'ctx-sys',
  'rlm-act',
] as const;
export type StoredSystem = (typeof STORED_SYSTEMS)[number];

/** A made-up run in a real store. */
export interface StoredCase {
  /** The database file or the folder. */
  readonly path: string;
  readonly task: string;
  /** Ids in the store by the ids of the run; a checkpoint that the system cannot hold has none. */
  readonly ids: ReadonlyMap<string, string>;
  /** Where the run's state is in a stored one: the first place, and copies of it. Keys of the document. */
  readonly places: readonly (readonly string[])[];
  /** Why checkpoints are left out, if any are. */
  readonly left?: string;
}

/** What every writer is given. */
export interface Writing {
  /** An empty folder of its own. */
  readonly folder: string;
  readonly task: string;
  /** In save order. */
  readonly steps: readonly CaseStep[];
  /** The branch in question, first checkpoint first. */
  readonly branch: readonly CaseStep[];
}

/** Saved a minute apart. */
export const timeAt = (nth: number): Date => new Date(Date.UTC(2026, 4, 11, 8, nth));

const MARK = '@@state@@';
/** Replaced in a document by the state, exactly as it is. */
export const STATE_MARK = MARK;

/** The document with the state's text at the mark. */
export function withState(document: string, text: string): string {
  const at = document.indexOf(`"${MARK}"`);
  if (at < 0) throw new Error('The document has no place for a state.');
  return document.slice(0, at) + text + document.slice(at + MARK.length + 2);
}

/** As Python writes JSON: every character beyond ASCII escaped. */
export function asciiJson(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
