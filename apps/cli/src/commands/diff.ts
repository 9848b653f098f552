import {
  besideAt,
  createSummaries,
  differencesBetween,
  NOT_ON_LINE,
  stepsBetween,
  type StepsAnswer,
} from '@checkpoint-inspector/inspector';
import {
  type Diff,
  type Difference,
  oneLineJson,
  rankDiff,
  type StepError,
  stepWords,
} from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, coloured, maskedAt, print, printable } from '../output.ts';
import type { Style } from '../table.ts';
import { resolveCheckpoint, stateOf, type Found, type Narrow } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { collect, reading, type Listing, type Verbs } from '../verbs.ts';
import { errorWords } from './show.ts';

interface DiffOptions extends Listing, Narrow {
  readonly all?: boolean;
  readonly ignore?: readonly string[];
  readonly steps?: boolean;
}

const GLYPHS: Record<Difference['kind'], string> = {
  added: '+',
  removed: '-',
  changed: '~',
  moved: '↕',
  'type-changed': '⇄',
};

const COLOURS: Record<Difference['kind'], Style> = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
  moved: 'cyan',
  'type-changed': 'magenta',
};

export function addDiff(verbs: Verbs): void {
  verbs
    .overCheckpoint('diff <a> <b>', {
      group: 'look',
      about: 'show what changed from a to b',
      examples: [
        'diff report/latest~1 report/latest',
        'diff report/latest~4 report/latest --steps',
        "diff ckpt_01 ckpt_02 --ignore '$.messages.**'",
        'diff ckpt_01 ckpt_02 --all',
        'diff ckpt_01 ckpt_02 --json',
      ],
    })
    .option('--all', 'compare volatile paths too')
    .option(
      '--ignore <path>',
      'ignore this path instead of the volatile ones, repeatable: * is any one key or index, a last .** all below',
      collect,
    )
    .option('--steps', 'name the checkpoint in between that made each change')
    .option(...LIMIT_OPTION)
    .action((a: string, b: string, options: DiffOptions) => reading(verbs, options, (run) => diff(run, a, b, options)));
}

/** `diff <a> <b>`: what changed from a to b. Volatile paths are ignored unless `--all`. */
async function diff({ workspace, output }: Run, a: string, b: string, options: DiffOptions): Promise<void> {
  const [before, after] = [
    await resolveCheckpoint(workspace, a, options),
    await resolveCheckpoint(workspace, b, options),
  ];
  const ignore = options.all ? [] : (options.ignore ?? after.source.info.volatilePaths);
  const found = await differencesBetween(before, after, { ignore }, async (one) => (await stateOf(one)).text);
  const { added, removed, changed, moved } = found.summary;
  const ordered = output.json ? found.items : await inOrderOfWeight(found, after);
  const { items, of, more } = limited(output, ordered, options.limit);
  const errors = { ...(await errorsOf('a', before)), ...(await errorsOf('b', after)) };
  const failed = Object.keys(errors).length === 0 ? {} : { errors };
  const steps = options.steps ? await stepsOf(before, after, ignore) : undefined;
  const named = steps && namesOf(steps);
  const { summary, ignored, equal } = found;
  print(
    output,
    {
      summary,
      ignored,
      ...(equal === undefined ? {} : { equal }),
      items,
      of,
      ignoreRules: ignore,
      ...failed,
      ...(steps ? { steps } : {}),
    },
    () => [
      ...Object.entries(errors).flatMap(([side, all]) => all.map((error) => `${side} failed: ${errorWords(error)}`)),
      `+${added} -${removed} ~${changed} ↕${moved}`,
      ...items.map((item) => coloured(output, COLOURS[item.kind], line(item) + (named?.get(keyOf(item)) ?? ''))),
      ...more,
      ...(steps?.onLine === false ? ['a is not on the way to b, so no steps are named.'] : []),
      ...found.ignored.filter(({ count }) => count > 0).map(({ rule, count }) => `ignored by ${rule}: ${count}`),
    ],
  );
}

/** Two stores share no line. */
const stepsOf = async (a: Found, b: Found, ignore: readonly string[]): Promise<StepsAnswer> =>
  a.source.info.id === b.source.info.id ? stepsBetween(b.source, a.ref, b.ref, ignore) : NOT_ON_LINE;

const keyOf = ({ kind, path }: Pick<Difference, 'kind' | 'path'>): string => `${kind} ${path}`;

/** After each difference, the step that made it last. */
function namesOf({ items, steps }: StepsAnswer): ReadonlyMap<string, string> {
  return new Map(
    items.map((item) => {
      const last = steps[item.at[0] ?? -1];
      const others = item.count > 1 ? `, ${item.count} steps in all` : '';
      return [keyOf(item), last === undefined ? '' : `  (${printable(stepWords(last))}${others})`];
    }),
  );
}

/** For people: what tells most first, counters and clocks last. Programs get the order of the state. */
async function inOrderOfWeight(found: Diff, { source, ref }: Found): Promise<readonly Difference[]> {
  const { ranked, folded } = rankDiff(found, await createSummaries().rolesOf(source, ref.task));
  return [...ranked, ...folded.map(({ item }) => item)];
}

/** A step that failed need not have changed the state: its error tells what happened. */
async function errorsOf(side: 'a' | 'b', { source, ref }: Found): Promise<Record<string, readonly StepError[]>> {
  const { errors } = await besideAt(source, ref);
  return errors === undefined ? {} : { [side]: errors };
}

/** One difference as one line of text. */
export function line({ kind, path, from, ...values }: Difference): string {
  const [before, after] = [values.before, values.after].map((value = '') => oneLineJson(maskedAt(path, value)));
  const what = {
    added: after,
    removed: before,
    changed: `${before} → ${after}`,
    moved: `from ${from}`,
    'type-changed': `${before} → ${after}`,
  };
  return printable(`${GLYPHS[kind]} ${path}  ${what[kind]}`);
}
