import { InspectorError } from '@checkpoint-inspector/core';
import type { Output } from './output.ts';

/** Rows that a terminal shows unless `--limit` says otherwise. In a pipe and with `--json` there is no such limit. */
const ON_A_TERMINAL = 100;

export const LIMIT_OPTION = ['--limit <n>', 'at most so many, or `all`; default: 100 on a terminal, else all'] as const;

/** @throws InspectorError invalid_input */
export function limitOf({ json, terminal }: Output, given: string | undefined): number {
  if (given === undefined) return !json && terminal?.width !== undefined ? ON_A_TERMINAL : Number.POSITIVE_INFINITY;
  if (given === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new InspectorError('invalid_input', `--limit takes a whole number from 1, or all, not "${given}".`);
}

export interface Limited<T> {
  readonly items: readonly T[];
  /** Of all. */
  readonly of: number;
  /** A line that says how many more there are and how to see them; empty when these are all. */
  readonly more: readonly string[];
}

/** @throws InspectorError invalid_input */
export function limited<T>(output: Output, all: readonly T[], given: string | undefined): Limited<T> {
  const items = all.slice(0, limitOf(output, given));
  return { items, of: all.length, more: moreLine(all.length - items.length) };
}

export const moreLine = (left: number): string[] =>
  left > 0 ? [`${left.toLocaleString('en')} more: --limit <n>, or --limit all`] : [];
