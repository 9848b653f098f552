/**
 * One row of a diff. Values are JSON text exactly as written in its state.
 * @example diffJson('{"a":1}', '{"a":2}').items[0] // { path: '$.a', kind: 'changed', before: '1', after: '2' }
 */
export interface Difference {
  /** Where it is in the new state; for `removed`, where it was in the old one. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'moved' | 'type-changed';
  /** The old value; absent for `added` and `moved`. */
  readonly before?: string;
  /** The new value; absent for `removed`. */
  readonly after?: string;
  /** Only for `moved`: where the array element was in the old state. */
  readonly from?: string;
  /** What it is about, where its task tells more than it does by itself; `growth`: of a list that always grows, or of a queue. */
  readonly role?: 'data' | 'conversation' | 'growth' | 'bookkeeping';
}

/** Counts of rows; a type change counts as changed. */
export interface DiffSummary {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly moved: number;
}

/**
 * All that differs between two states.
 * @example const { items, summary }: Diff = diffJson('{"a":1}', '{"a":2}'); summary.changed // 1
 */
export interface Diff {
  /** In the order of the new state, removed rows where they stood. */
  readonly items: readonly Difference[];
  readonly summary: DiffSummary;
  /** Every rule that was given, with the differences it hid: 0 when none. */
  readonly ignored: readonly { readonly rule: string; readonly count: number }[];
  /**
   * Leaf values (scalars and empty containers) that are the same on both sides; absent where a store compared only what
   * differs.
   */
  readonly equal?: number;
}

/**
 * What a diff leaves out.
 * @example diffJson(before, after, { ignore: ['$.updatedAt', '$.messages.*.id'] })
 */
export interface DiffOptions {
  /** Paths to leave out: `$.a.b`, `*` for any one key or index, a last `.**` for everything below. */
  readonly ignore?: readonly string[];
}

export interface WordChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}
