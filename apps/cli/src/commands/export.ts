import { rm, writeFile } from 'node:fs/promises';
import { bundle, gather, previewExport, report } from '@checkpoint-inspector/api';
import type { ExportPreview } from '@checkpoint-inspector/api';
import { InspectorError } from '@checkpoint-inspector/core';
import { print, printable, size } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../session.ts';

export interface ExportOptions {
  readonly out?: string;
  readonly format?: string;
  readonly reveal?: boolean;
  readonly checkpoint?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** `export <task> --out <file>`: a task as a bundle, or as one offline report. */
export async function exportTask({ session, output }: Run, task: string, options: ExportOptions): Promise<void> {
  const format = formatOf(options);
  const { out, force = false, dryRun = false } = options;
  if (out === undefined && !dryRun) throw new InspectorError('invalid_input', 'Name the file with --out.');
  const asked = {
    task,
    reveal: options.reveal ?? false,
    ...(options.checkpoint === undefined ? {} : { checkpoints: options.checkpoint }),
  };
  const subject = await gather(await resolveTask(session, task), asked);
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
      throw new InspectorError('invalid_input', `"${file}" is there already.`, {
        remedy: 'Name another file, or write over it with --force.',
      });
    }
    // Half an export is none.
    if (code !== 'EISDIR') await rm(file, { force: true }).catch(() => undefined);
    if (code === 'ENOSPC') throw new InspectorError('disk_full', `"${file}" could not be written.`, { cause });
    if (code === undefined) throw cause;
    throw new InspectorError('invalid_input', `"${file}" cannot be written: ${code}.`, { cause });
  }
}

function linesOf({ checkpoints, sizeBytes, masked, leftOut }: ExportPreview, revealed: boolean): string[] {
  const shapes = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  const secrets = revealed ? `Secrets as they are stored: ${shapes}.` : `Masked: ${shapes}.`;
  return [
    `${checkpoints} checkpoints, ${size(sizeBytes)} of state.`,
    masked.length === 0 ? 'No secret of a known shape was found.' : secrets,
    ...leftOut.map(printable),
  ];
}
