import { parseArgs } from 'node:util';
import { InspectorError } from '@checkpoint-inspector/core';

export interface Options {
  readonly steps: readonly number[];
  readonly seeds: readonly number[];
  readonly json: boolean;
  /** Where the table is written; absent: it is only printed. */
  readonly out?: string;
}

export const DEFAULTS = { steps: [10, 100, 1_000], seeds: [1, 2, 3, 4, 5] } as const;
const MOST_STEPS = 5_000;

export const HELP = `npm run bench -- [--steps 10,100,1000] [--seeds 1,2,3,4,5] [--json] [--out <file>]

Saves the same steps to every store in turn, then loads, lists and prunes. Steps are whole numbers from 2 to ${MOST_STEPS};
beyond 1,000 the stores of whole states save a sample of them. Without --steps and --seeds the table is written to
packages/bench/RESULTS.md.`;

/** @throws InspectorError invalid_input */
export function readOptions(args: readonly string[], results: string): Options {
  const { steps, seeds, json = false, out } = parsed(args);
  const isWhole = steps === undefined && seeds === undefined;
  const file = out ?? (isWhole && !json ? results : undefined);
  return {
    steps: steps === undefined ? DEFAULTS.steps : numbers('--steps', steps, { from: 2, to: MOST_STEPS }),
    seeds: seeds === undefined ? DEFAULTS.seeds : numbers('--seeds', seeds, { from: 0, to: 2 ** 31 }),
    json,
    ...(file === undefined ? {} : { out: file }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        steps: { type: 'string' },
        seeds: { type: 'string' },
        json: { type: 'boolean' },
        out: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new InspectorError('invalid_input', message, { cause, remedy: `Usage: ${HELP}` });
  }
}

function numbers(option: string, text: string, { from, to }: { from: number; to: number }): number[] {
  return text.split(',').map((part) => {
    const value = /^\d+$/.test(part.trim()) ? Number(part) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InspectorError('invalid_input', `${option} takes whole numbers from ${from} to ${to}, not "${part}".`);
  });
}
