import { explainGrowth, type TaskGrowth } from '@checkpoint-inspector/inspector';
import { idToSegment, type EntryGrowth } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, print, printable, size, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';
import type { Run } from '../workspace.ts';

export function addGrowth(verbs: Verbs): void {
  verbs
    .overTask('growth <task> [store...]', {
      group: 'keep',
      about: "show what makes a task's storage grow, and what pruning would free",
      examples: ['growth report', 'growth report ./checkpoints.sqlite --json', 'growth prod/report --limit 5'],
    })
    .option(...LIMIT_OPTION)
    .action((task: string, stores: readonly string[], options: Listing) =>
      reading(verbs, { ...options, store: [...(options.store ?? []), ...stores] }, (run) => growth(run, task, options)),
    );
}

async function growth({ workspace, output, command }: Run, name: string, { limit }: Listing): Promise<void> {
  const { source, task } = await resolveTask(workspace, name);
  const answer = await explainGrowth(source, task);
  const { states } = answer;
  const { items, more } = limited(output, states.entries, limit);
  print(output, answer, () => [
    printable(`${task}: ${counted(answer.listed.checkpoints, 'checkpoint')}, ${size(answer.listed.bytes)}`),
    '',
    ...table(
      ['ENTRY', 'SIZE', 'SHARE', 'STORED', 'REPEATED', 'LARGEST'],
      items.map((entry) => [
        entry.key,
        size(entry.bytes),
        share(entry.bytes, states.bytes),
        timesOf(entry, answer),
        entry.repeatedBytes === 0 ? '' : size(entry.repeatedBytes),
        size(entry.largest),
      ]),
      output.terminal,
    ),
    ...more,
    ...(states.rest.entries === 0
      ? []
      : [`${counted(states.rest.entries, 'smaller entry')}: ${size(states.rest.bytes)}`]),
    `Keys and punctuation: ${size(states.frameBytes)}`,
    '',
    ...keepingLines(answer, (newest) =>
      command('prune', `${source.info.id}/${idToSegment(task)}`, '--keep-last', String(newest), '--dry-run'),
    ),
    ...footOf(answer),
  ]);
}

/** Where checkpoints share their values, one that is in many is stored once. */
function timesOf({ checkpoints, values }: EntryGrowth, { sharing }: TaskGrowth): string {
  const often = sharing === undefined ? counted(checkpoints, 'time') : `in ${counted(checkpoints, 'checkpoint')}`;
  return `${often}, ${values === 1 ? 'always the same value' : `${values.toLocaleString('en')} different values`}`;
}

const share = (bytes: number, of: number): string => (of === 0 ? '' : `${Math.round((100 * bytes) / of)} %`);

const PLURALS: Readonly<Record<string, string>> = { 'smaller entry': 'smaller entries' };

const counted = (n: number, what: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? what : (PLURALS[what] ?? `${what}s`)}`;

function keepingLines({ keeping, sharing }: TaskGrowth, previewOf: (newest: number) => string): string[] {
  const useful = keeping.filter(({ checkpoints }) => checkpoints > 0);
  if (useful.length === 0) return ['There is only one checkpoint: nothing to prune.'];
  return [
    ...useful.map(({ newest, checkpoints, bytes }) => {
      const kept = newest === 1 ? 'the newest checkpoint' : `the newest ${newest}`;
      return `Keeping only ${kept} would free up to ${size(bytes)} (${counted(checkpoints, 'checkpoint')}).`;
    }),
    ...(sharing === undefined ? [] : [`${sharing} Deleting some frees less than their sizes add up to.`]),
    printable(`Preview:  ${previewOf(useful.at(-1)?.newest ?? 1)}`),
  ];
}

function footOf({ derived, examined: { n, of, outside, unread, gaps } }: TaskGrowth): string[] {
  return [
    ...(derived === undefined ? [] : ['Sizes of entries are as JSON; the store has these states in another form.']),
    ...gaps.slice(0, 5).map(({ ref, reason }) => printable(`Not read: ${ref.id}: ${reason}`)),
    ...(unread.checkpoints > 5 ? [`Not read: ${(unread.checkpoints - 5).toLocaleString('en')} more.`] : []),
    ...(outside.checkpoints === 0
      ? []
      : [`Not read: ${counted(outside.checkpoints, 'older checkpoint')} (${size(outside.bytes)}).`]),
    `${n.toLocaleString('en')} of ${counted(of, 'checkpoint')} read`,
  ];
}
