import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  assertNotOfStore,
  bundle,
  gather,
  previewExport,
  readPage,
  report,
  viewer,
  type ExportPreview,
  type Subject,
} from '@checkpoint-inspector/inspector';
import { InspectorError } from '@checkpoint-inspector/core';
import type { Command } from 'commander';
import { overwrite, writeNew } from '../files.ts';
import { many, print, printable, size } from '../output.ts';
import { resolveCheckpoint, resolveTask } from '../resolve.ts';
import { besideCommand, type Run } from '../workspace.ts';
import { runOf } from './compare.ts';
import { collect, reading, type Common, type Verbs } from '../verbs.ts';

interface ExportOptions extends Common {
  readonly out?: string;
  readonly format?: string;
  readonly reveal?: boolean;
  readonly checkpoint?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly compare?: string;
}

/** As a file's name. */
const STDOUT = '-';

export function addExport(verbs: Verbs): void {
  exporting(verbs, 'export <task...>', 'write tasks to a file: a bundle that can be opened, or one offline report', [
    'export report --out report.json',
    'export prod/report prod/summary --out case.json',
    'export report --format viewer --out report.html',
    'export report --checkpoint latest --out last.json --reveal',
    'export report --dry-run',
  ])
    .option('--format <format>', 'bundle, html (a report), or viewer (the page itself, read-only)', 'bundle')
    .addHelpText('after', BUNDLES)
    .action((tasks: string[], options: ExportOptions) => exportTo(verbs, tasks, options));
  exporting(verbs, 'report <task>', 'write a task as one offline HTML file', [
    'report report --out report.html',
    'report prod/report --out report.html --force',
    'report report --compare report-retry --out report.html',
  ])
    .option('--compare <run>', 'set it beside another task, or a branch by its last checkpoint')
    .action((task: string, options: ExportOptions) => exportTo(verbs, [task], { ...options, format: 'html' }));
}

const BUNDLES = `
A bundle is one JSON file: tasks of one store with every state as stored, the tree, labels and notes, errors, questions
and pending writes. Known kinds of secrets are masked unless you say --reveal. It opens like a store:
  checkpoint-inspector report.json
and import copies it into a store. With --format viewer the page itself is in the file, read-only: one HTML file that
opens in a browser from the disk, without this program or a network.`;

const exportTo = (verbs: Verbs, tasks: readonly string[], options: ExportOptions): Promise<void> =>
  reading(verbs, options, (run) => exportTasks(run, tasks, options, verbs.version));

const exporting = (verbs: Verbs, usage: string, about: string, examples: readonly string[]): Command =>
  verbs
    .overTask(usage, { group: 'keep', about, examples })
    .option('--out <file>', 'the file to write, which must not exist yet; - writes to standard output')
    .option('--checkpoint <id>', 'only this checkpoint, repeatable; default: the whole task', collect)
    .option('--dry-run', 'show what it would contain and what is masked, without writing anything')
    .option('--force', 'overwrite an existing file');

async function exportTasks(
  { workspace, output }: Run,
  names: readonly string[],
  options: ExportOptions,
  version: string,
): Promise<void> {
  const format = formatOf(options);
  const { out, force = false, dryRun = false, reveal = false } = options;
  if (out === undefined && !dryRun) throw new InspectorError('invalid_input', 'Name the file with --out.');
  const subjects = await subjectsOf(workspace, names, options.checkpoint);
  const [first] = subjects;
  const isNew = out === undefined || out === STDOUT || !existsSync(out);
  if (!isNew && force) assertNotOfStore(workspace.stores, out);
  const { masking } = workspace;
  const preview = await previewExport(subjects, masking.masker());
  if (first !== undefined && out !== undefined && !dryRun) {
    const compareWith = options.compare === undefined ? undefined : await runOf(workspace, options.compare, {});
    const asked = { task: first.task.id, reveal, masking, version, ...(compareWith && { compareWith }) };
    const content = await contentOf(format, subjects, asked);
    await (out === STDOUT ? writeOut(content) : (isNew || !force ? writeNew : overwrite)(out, content));
  }
  const written = out === undefined || dryRun ? {} : { file: out, format };
  const told = out === STDOUT && !dryRun ? { ...output, line: output.note } : output;
  print(told, { ...preview, ...written, revealed: reveal }, () => [
    ...(out === undefined || out === STDOUT || dryRun ? [] : [`Wrote ${printable(out)}.`]),
    ...linesOf(preview, reveal),
  ]);
}

type Asked = Parameters<typeof report>[1];

async function contentOf(
  format: Format,
  subjects: readonly Subject[],
  asked: Asked,
): Promise<string | AsyncIterable<string>> {
  if (format === 'html') return report(onlyOne(subjects), asked);
  if (format === 'bundle') return bundle(subjects, asked);
  return viewer(subjects, await readPage(fileURLToPath(besideCommand('web'))), asked);
}

/** @throws InspectorError invalid_input, where they are of several stores */
async function subjectsOf(
  workspace: Run['workspace'],
  names: readonly string[],
  checkpoints: readonly string[] | undefined,
): Promise<Subject[]> {
  if (names.length > 1 && checkpoints !== undefined)
    throw new InspectorError('invalid_input', '--checkpoint takes one task.');
  const subjects: Subject[] = [];
  for (const name of names) {
    const { source, task } = await resolveTask(workspace, name);
    if (subjects.some((other) => other.source !== source))
      throw new InspectorError('invalid_input', 'A bundle contains tasks of one store.', {
        remedy: 'Export the tasks of each store to a file of its own.',
      });
    if (subjects.some((other) => other.task.id === task)) continue;
    const annotations = (await workspace.inspector()).annotations.ofTask(source.info.id, task);
    const ids = checkpoints && { checkpoints: await idsOf(workspace, name, checkpoints) };
    subjects.push(await gather(source, { task, annotations, ...ids }));
  }
  return subjects;
}

/** @throws InspectorError invalid_input */
function onlyOne([subject, ...others]: readonly Subject[]): Subject {
  if (subject !== undefined && others.length === 0) return subject;
  throw new InspectorError('invalid_input', 'A report shows one task.', { remedy: 'Make a report for each of them.' });
}

async function idsOf(workspace: Run['workspace'], task: string, names: readonly string[]): Promise<string[]> {
  const found = [];
  for (const name of names) found.push((await resolveCheckpoint(workspace, name, { task })).ref.id);
  return found;
}

const FORMATS = ['bundle', 'html', 'viewer'] as const;
type Format = (typeof FORMATS)[number];

function formatOf({ format = 'bundle' }: ExportOptions): Format {
  const known = FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  throw new InspectorError('invalid_input', `--format takes ${FORMATS.join(', ')}, not "${format}".`);
}

/** All of it, and nothing else; what else there is to say goes to the standard error. */
async function writeOut(content: string | AsyncIterable<string>): Promise<void> {
  for await (const part of typeof content === 'string' ? [content] : content) {
    // A pipe that was closed needs no more, and never drains.
    if (process.stdout.errored) return;
    if (!process.stdout.write(part)) await once(process.stdout, 'drain').catch(() => undefined);
  }
}

function linesOf({ checkpoints, sizeBytes, masked, leftOut }: ExportPreview, revealed: boolean): string[] {
  const shapes = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  const secrets = revealed ? `Secrets included as stored: ${shapes}.` : `Masked: ${shapes}.`;
  return [
    `${many(checkpoints)}, ${size(sizeBytes)} of state.`,
    masked.length === 0 ? 'No known kinds of secrets were found.' : secrets,
    'Texts, names and addresses of people, and file paths are in it as stored, and so is a secret that looks like none.',
    ...leftOut.map(printable),
  ];
}
