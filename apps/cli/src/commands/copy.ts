import { assertBundle, copyStore, defaultRegistry, openCopyTarget } from '@checkpoint-inspector/inspector';
import type { CopyFinding, CopyProgress, CopyReport } from '@checkpoint-inspector/inspector';
import { formatAddress, InspectorError, isAddress, refKey, type CheckpointSource } from '@checkpoint-inspector/core';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { many, coloured, print, printable, size, type Output } from '../output.ts';
import { ASK_KEY, KEY_FILE, withStores, type Common, type Verbs } from '../verbs.ts';
import { tellLogOf, type Run } from '../workspace.ts';

interface CopyCommandOptions extends Common {
  readonly task?: string;
  readonly only?: string;
  readonly dryRun?: boolean;
}

const ABOUT = `
Every checkpoint keeps its id, namespace, order, parent, time, trigger, status, description, errors, questions and
pending writes, and its state byte for byte; its labels and note are kept in your own journal. What is already there
with the same content is skipped, so after an interruption the same command continues. Different content under the same
id is listed and never overwritten. At the end every checkpoint is read back and compared.

The source is opened read-only. The target is a SQLite file of this program, or a schema of a PostgreSQL database
(postgres://…?schema=name, or env:NAME), made if there is none. A ctx-sys database works too, by its own rules: it gives
its own ids and keeps its newest. A copy has no undo: delete the file or the schema instead.`;

export function addCopy(verbs: Verbs): void {
  copying(
    verbs,
    'copy <from> <to>',
    "copy a store's checkpoints to another store, and verify the copy (can't be undone)",
    [
      'copy ./langgraph.sqlite ./copy.db',
      'copy ./.kaizen ./copy.db --task report --dry-run',
      'copy pg=env:DATABASE_URL ./copy.db --json',
      'copy ./copy.db env:TEAM_DATABASE_URL',
    ],
  )
    .option('--only <store>', 'this store, where <from> contains several')
    .action((from: string, to: string, options: CopyCommandOptions) => run(verbs, { from, to, options }));
  copying(
    verbs,
    'import <bundle> <store>',
    "copy a bundle's tasks into a store, and verify the copy (can't be undone)",
    ['import ./case.json ./case.db', 'import ./case.json env:TEAM_DATABASE_URL --dry-run'],
  ).action((from: string, to: string, options: CopyCommandOptions) =>
    run(verbs, { from, to, options, isImport: true }),
  );
}

const copying = (verbs: Verbs, usage: string, about: string, examples: readonly string[]): Command =>
  verbs
    .add(usage, { group: 'keep', about, examples })
    .option('--task <task>', 'only this task')
    .option('--dry-run', 'read and count, and write nothing')
    .option('--key-file <path>', KEY_FILE)
    .option('--ask-key', ASK_KEY)
    .option('--json', 'print JSON')
    .addHelpText('after', ABOUT);

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly options: CopyCommandOptions;
  readonly isImport?: boolean;
}

/** What it reads it leaves alone; labels and notes go into the journal. */
const run = (verbs: Verbs, asked: Asked): Promise<void> =>
  withStores(verbs, { ...asked.options, store: [asked.from], readOnly: false, recover: false }, (opened) =>
    copy(opened, asked),
  );

/** @throws InspectorError changed | proof_failed | unreadable, when the copy is not whole */
async function copy({ workspace, output }: Run, { to, options, isImport = false }: Asked): Promise<void> {
  const source = oneOf(workspace.sources(), options.only);
  const as = workspace.stores.origin(source.info.id)?.as;
  if (isImport) assertBundle(as, source);
  const target = await openCopyTarget(to, { source, as }, defaultRegistry());
  try {
    const { task, dryRun = false } = options;
    const { keep: keepWords, ofStore } = (await workspace.inspector()).annotations;
    const notes = new Map(ofStore(source.info.id).flatMap(({ ref, note }) => (note ? [[refKey(ref), note]] : [])));
    const report = await copyStore(source, target, { task, dryRun, keepWords, notes, onProgress: progressOn(output) });
    print(output, report, () => linesOf(output, report, source));
    assertWhole(report);
  } finally {
    await target.close();
    if (!options.dryRun && !isAddress(to)) tellLogOf(output, resolve(to));
  }
}

/** @throws InspectorError invalid_input | ambiguous_id */
function oneOf(sources: readonly CheckpointSource[], only: string | undefined): CheckpointSource {
  const named = only === undefined ? sources : sources.filter(({ info }) => info.id === only);
  const [source, ...others] = named;
  if (source !== undefined && others.length === 0) return source;
  const data = { candidates: sources.map(({ info }) => info.id) };
  if (source === undefined)
    throw new InspectorError('invalid_input', `<from> contains no store "${only ?? ''}".`, { data });
  const remedy = 'Choose one with --only <store>.';
  throw new InspectorError('ambiguous_id', `<from> contains ${sources.length} stores.`, { data, remedy });
}

const EVERY_MS = 2_000;
const WORDS: Record<CopyProgress['step'], string> = { copying: 'copied', verifying: 'verified' };

/** A line from time to time: short copies need none. */
function progressOn(output: Output): (progress: CopyProgress) => void {
  let told = Date.now();
  return ({ step, done, of }) => {
    if (Date.now() - told < EVERY_MS) return;
    told = Date.now();
    const line = `${done.toLocaleString('en')} of ${of.toLocaleString('en')} checkpoints ${WORDS[step]}`;
    output.note(output.json ? JSON.stringify({ progress: { step, done, of } }) : line);
  };
}

function linesOf(output: Output, report: CopyReport, { info }: CheckpointSource): string[] {
  const { dryRun, copied, present, outdated, verified, stateBytes, tasks, checkpoints, to } = report;
  const findings = (word: string, list: readonly CopyFinding[]): string[] =>
    list.map(({ ref, message }) =>
      coloured(output, 'red', printable(`${word}: ${formatAddress({ store: info.id, ...ref })}: ${message}`)),
    );
  return [
    `${many(checkpoints)} in ${many(tasks, 'task')} of ${printable(info.label)} (${info.system}).`,
    `${many(copied)} (${size(stateBytes)} of state) ${dryRun ? 'would be copied' : 'copied'} to ${printable(to.label)}, ${present.toLocaleString('en')} already there.`,
    ...(outdated === 0 ? [] : [`${many(outdated)} there with other details, such as the status; left as they were.`]),
    ...findings('not copied', report.unreadable),
    ...findings('conflict', report.conflicts),
    ...findings('failed', report.failed),
    ...(report.annotated === 0
      ? []
      : [`Labels and notes of ${many(report.annotated)} ${dryRun ? 'would be kept' : 'are kept'} in your journal.`]),
    ...findings('labels or note not kept', report.notAnnotated),
    ...report.notKept.map(({ what, checkpoints }) => `Not in the copy: ${what}, of ${many(checkpoints)}.`),
    dryRun
      ? 'Nothing was written.'
      : `${many(verified)} read back and compared. A copy can't be undone; the source is as it was.`,
  ];
}

const REASONS = 'The reasons are listed above.';

/** @throws InspectorError */
function assertWhole({ conflicts, failed, unreadable, dryRun, copied, present }: CopyReport): void {
  const [first] = conflicts;
  if (first !== undefined)
    throw new InspectorError('changed', `${many(conflicts.length)} with another content in the target: not copied.`, {
      remedy: 'Copy to another store, or delete those checkpoints in the target first.',
    });
  if (failed.length > 0)
    throw new InspectorError('proof_failed', `${many(failed.length)} not found in the copy as in the source.`, {
      remedy: 'Run the same command again. If that does not help, check the disk and `verify` the target.',
    });
  if (unreadable.length > 0)
    throw new InspectorError('unreadable', `${many(unreadable.length)} ${dryRun ? "can't be" : 'not'} copied.`, {
      remedy: dryRun || copied + present === 0 ? REASONS : `The others are in the copy. ${REASONS}`,
    });
}
