import { formatPath, parsePath, summaryLine, type Diff, type Difference } from '@checkpoint-inspector/core';

const ROWS = 200;
const NUMBER = /^-?\d/;

/** What a step changed, as far as a report tells it. */
export interface StepChange {
  readonly line: string;
  readonly summary: Diff['summary'];
  readonly rows: readonly Difference[];
  /** Rows beyond those. */
  readonly more: number;
  /** Where one number took the place of another; a path as often as it did. */
  readonly numbers: readonly string[];
}

/** @param description of the step, which its line doesn't repeat */
export function stepChange(diff: Diff, description?: string): StepChange {
  const { items, summary } = diff;
  return {
    line: summaryLine(diff, description),
    summary,
    rows: items.slice(0, ROWS),
    more: Math.max(0, items.length - ROWS),
    numbers: items.filter(isNumberChange).map(({ path }) => formatPath(parsePath(path))),
  };
}

function isNumberChange({ kind, before = '', after = '' }: Difference): boolean {
  return kind === 'changed' && NUMBER.test(before) && NUMBER.test(after);
}
