import { formatPath, parsePath, rankDiff, summaryLine } from '@checkpoint-inspector/core';
import type { ChangeRoles, Diff, Difference } from '@checkpoint-inspector/core';

const ROWS = 200;
const NUMBER = /^-?\d/;

/** What a step changed, as far as a report tells it. */
export interface StepChange {
  readonly line: string;
  readonly summary: Diff['summary'];
  readonly ignored: Diff['ignored'];
  readonly rows: readonly Difference[];
  /** Rows beyond those. */
  readonly more: number;
  /** Where one number took the place of another; a path as often as it did. */
  readonly numbers: readonly string[];
}

/** @param description of the step, which its line doesn't repeat */
export function stepChange(diff: Diff, description?: string): StepChange {
  const { items, summary, ignored } = diff;
  return {
    line: summaryLine(diff, description),
    summary,
    ignored,
    rows: items.slice(0, ROWS),
    more: Math.max(0, items.length - ROWS),
    numbers: items.filter(isNumberChange).map(({ path }) => formatPath(parsePath(path))),
  };
}

/** The same by what its task tells of it. The rows that aren't here are the last ones of the state. */
export function rankedChange(change: StepChange, roles: ChangeRoles, description?: string): StepChange {
  const { rows: items, more } = change;
  const { ranked, folded } = rankDiff({ items }, roles);
  const line = more > 0 ? change.line : summaryLine({ items, ignored: change.ignored }, description, roles);
  return { ...change, line, rows: [...ranked, ...folded.map(({ item }) => item)] };
}

function isNumberChange({ kind, before = '', after = '' }: Difference): boolean {
  return kind === 'changed' && NUMBER.test(before) && NUMBER.test(after);
}
