import { rm, writeFile } from 'node:fs/promises';
import { bundle, gather, previewExport, report, type ExportPreview } from '@checkpoint-inspector/inspector';
import { InspectorError } from '@checkpoint-inspector/core';
import type { Command } from 'commander';
import { print, printable, size } from '../output.ts';
import { resolveCheckpoint, resolveTask } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { collect, reading, type Common, type Verbs } from '../verbs.ts';

interface ExportOptions extends Common {
  readonly out?: string;
  readonly format?: string;
  readonly reveal?: boolean;
  readonly checkpoint?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export function addExport(verbs: Verbs): void {
  exporting(verbs, 'export <task>', 'write a task to a file: a bundle, or one offline report', [
    'export report --out report.bundle.json',
    'export report --checkpoint latest --out last.json --reveal',
    'export report --dry-run',
  ])
    .option('--format <format>', 'bundle or html', 'bundle')
    .action((task: string, options: ExportOptions) => reading(verbs, options, (run) => exportTask(run, task, options)));
  exporting(verbs, 'report <task>', 'write a task as one offline HTML file', [
    'report report --out report.html',
    'report prod/report --out report.html --force',
  ]).action((task: string, options: ExportOptions) =>
    reading(verbs, options, (run) => exportTask(run, task, { ...options, format: 'html' })),
  );
}

const exporting = (verbs: Verbs, usage: string, about: string, examples: readonly string[]): Command =>
  verbs
    .overTask(usage, { group: 'keep', about, examples })
    .option('--out <file>', 'the file to write; it must not exist yet')
    .option('--checkpoint <id>', 'only this checkpoint, repeatable; default: the whole task', collect)
    .option('--dry-run', 'show what it would contain and what is masked, without writing anything')
    .option('--force', 'overwrite an existing file');

async function exportTask({ workspace, output }: Run, name: string, options: ExportOptions): Promise<void> {
  const format = formatOf(options);
  const { out, force = false, dryRun = false } = options;
  if (out === undefined && !dryRun) throw new InspectorError('invalid_input', 'Name the file with --out.');
  const { source, task } = await resolveTask(workspace, name);
  const asked = {
    task,
    reveal: options.reveal ?? false,
    ...(options.checkpoint === undefined ? {} : { checkpoints: await idsOf(workspace, name, options.checkpoint) }),
  };
  const subject = await gather(source, asked);
  const preview = await previewExport(subject);
  if (out !== undefined && !dryRun) {
    const content = format === 'html' ? await report(subject, asked) : bundle(subject, asked);
    await writeNew(out, content, force);
  }
  const written = out === undefined || dryRun ? {} : { file: out, format };
  print(output, { ...preview, ...written, revealed: asked.reveal }, () => [
    ...(out === undefined || dryRun ? [] : [`Wrote ${printable(out)}.`]),
    ...linesOf(preview, asked.reveal),
  ]);
}

async function idsOf(workspace: Run['workspace'], task: string, names: readonly string[]): Promise<string[]> {
  const found = [];
  for (const name of names) found.push((await resolveCheckpoint(workspace, name, { task })).ref.id);
  return found;
}

function formatOf({ format = 'bundle' }: ExportOptions): 'bundle' | 'html' {
  if (format === 'bundle' || format === 'html') return format;
  throw new InspectorError('invalid_input', `--format takes bundle or html, not "${format}".`);
}

/** Readable by its owner only: a state may hold what nobody else should see. */
async function writeNew(file: string, content: string | AsyncIterable<string>, force: boolean): Promise<void> {
  try {
    await writeFile(file, content, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new InspectorError('invalid_input', `"${file}" already exists.`, {
        remedy: 'Choose another file, or overwrite it with --force.',
      });
    }
    // Half an export is none.
    if (code !== 'EISDIR') await rm(file, { force: true }).catch(() => undefined);
    if (code === 'ENOSPC') throw new InspectorError('disk_full', `"${file}" couldn't be written.`, { cause });
    if (code === undefined) throw cause;
    throw new InspectorError('invalid_input', `"${file}" couldn't be written: ${code}.`, { cause });
  }
}

function linesOf({ checkpoints, sizeBytes, masked, leftOut }: ExportPreview, revealed: boolean): string[] {
  const shapes = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  const secrets = revealed ? `Secrets included as stored: ${shapes}.` : `Masked: ${shapes}.`;
  return [
    `${checkpoints} checkpoints, ${size(sizeBytes)} of state.`,
    masked.length === 0 ? 'No known kinds of secrets were found.' : secrets,
    ...leftOut.map(printable),
  ];
}
