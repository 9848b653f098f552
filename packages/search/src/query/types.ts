/** What a search asks for, as data. */
import type { CheckpointStatus, Trigger } from '@checkpoint-inspector/core';

/** Text at one place of a state: all terms must hold for the same value and its path. */
export interface SearchTerm {
  /** What the value holds; without `path` the path may hold it instead. Letters of either case are equal. */
  readonly text: string;
  /** Whole steps that are one after the other in the path; one that begins with `$` is the whole path. */
  readonly path?: string;
  /** The value is exactly this. */
  readonly exact?: true;
  readonly not?: true;
}

/** A word in quotes is the whole id, one without is a part of it. */
export interface SearchNameFilter {
  readonly by: 'agent' | 'task' | 'store' | 'system';
  readonly text: string;
  readonly exact?: true;
  readonly not?: true;
}

/** What must hold for the checkpoint. Of several by one name one is enough; sizes and times must all hold. */
export type SearchFilter =
  | { readonly by: 'status'; readonly status: CheckpointStatus; readonly not?: true }
  | { readonly by: 'trigger'; readonly trigger: Trigger; readonly not?: true }
  | SearchNameFilter
  | { readonly by: 'larger' | 'smaller'; readonly bytes: number; readonly not?: true }
  /** Times are ISO 8601 UTC; `before` is exclusive, `after` inclusive. */
  | { readonly by: 'before' | 'after'; readonly time: string; readonly not?: true };

export interface SearchQuery {
  readonly terms: readonly SearchTerm[];
  readonly filters: readonly SearchFilter[];
}

/** A part of the query that says nothing; offsets in UTF-16 code units. */
export interface QueryProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export interface ParsedQuery {
  readonly query: SearchQuery;
  /** Empty when the query can be answered. */
  readonly problems: readonly QueryProblem[];
}
