import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  InspectorError,
  checkShape,
  compact,
  diffJson,
  formatPath,
  parseJson,
  parseExpectation,
  parsePath,
  patchJson,
  readEdit,
  setMember,
  valueAt,
} from '@checkpoint-inspector/core';
import { fileError } from '@checkpoint-inspector/io';
import { masked, printable } from '../output.ts';
import { resolveCheckpoint, stateOf } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { changing, collect, type Verbs } from '../verbs.ts';
import { change, type ChangeOptions } from './change.ts';
import { line } from './diff.ts';

interface EditOptions extends ChangeOptions {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly reason?: string;
  readonly author?: string;
}

/** Differences that are listed; the rest is counted. */
const LISTED = 20;

export function addEdit(verbs: Verbs): void {
  verbs.planned
    .overCheckpoint('edit <checkpoint>', {
      group: 'change',
      about: 'save an edited state as a child of a checkpoint; the original is not changed',
      examples: [
        "edit ckpt_07 --set '$.cache=false' --dry-run",
        'edit report/latest --file state.json --reason "wrong revenue"',
        'show ckpt_07 | sed s/4200/4900/ | checkpoint-inspector edit ckpt_07 --file - --yes',
      ],
    })
    .option('--file <path>', 'the complete new state as JSON; - reads standard input; a trailing newline is dropped')
    .option('--set <path=json>', "change one value, such as '$.a.b=false', repeatable", collect)
    .option('--reason <text>', 'the reason, kept with the receipt')
    .option('--author <name>', 'the author, kept with the receipt')
    .option('--to <task>', 'save into this new task instead')
    .action((id: string, options: EditOptions) => changing(verbs, options, (run) => edit(run, id, options)));
}

/** `edit <id>`: saves the given text, or the state with some values changed, as a child; by plan. */
async function edit(run: Run, id: string, options: EditOptions): Promise<void> {
  const { file, set = [], reason, author, to } = options;
  if (file === undefined && set.length === 0) {
    throw new InspectorError('invalid_input', 'Nothing to save: use --file or --set.', {
      remedy: "Pass the new state with --file state.json, or a value with --set '$.a.b=false'.",
    });
  }
  const found = await resolveCheckpoint(run.workspace, id, options);
  const { source, ref } = found;
  const before = (await stateOf(found, id)).text;
  const given = file === undefined ? before : await textOf(file);
  readEdit(given);
  const text = set.reduce(withValue, given);
  const request = { kind: 'edit' as const, ref, text, ...compact({ reason, author, targetTask: to }) };
  const ignore = file === undefined ? [] : source.info.volatilePaths;
  await change(run, source.info.id, request, options, aboutEdit(before, text, ignore));
}

/** Without the line end that editors put behind a text. @throws InspectorError invalid_input and why it can't be read */
async function textOf(file: string): Promise<string> {
  const name = file === '-' ? 'standard input' : file;
  const bytes = await bytesOf(file).catch((cause: unknown) => {
    const { code, message } = fileError(cause, name);
    throw new InspectorError(code, message, {
      cause,
      remedy: 'Name a file that you can read, or - for standard input.',
    });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new InspectorError('invalid_input', `"${name}" isn't UTF-8 text.`, { cause });
  }
}

/** What a pipe brings may still be on its way. */
const bytesOf = (file: string): Promise<Uint8Array> => (file === '-' ? buffer(process.stdin) : readFile(file));

/** @throws InspectorError invalid_input */
function withValue(text: string, assignment: string): string {
  const { path: where, value } = parseExpectation(assignment, '--set');
  const path = parsePath(where);
  if (valueAt(text, parseJson(text), path)) return patchJson(text, [{ path, text: value }]);
  const key = path.at(-1);
  const object = path.slice(0, -1);
  if (typeof key === 'string' && valueAt(text, parseJson(text), object)) return setMember(text, object, key, value);
  throw new InspectorError('invalid_input', `There is no value at ${formatPath(path)}.`, {
    data: { path: assignment },
  });
}

function aboutEdit(before: string, after: string, ignore: readonly string[]): string[] {
  const { items, summary } = diffJson(before, after, { ignore });
  const more = items.length - LISTED;
  return [
    `the edit: +${summary.added} -${summary.removed} ~${summary.changed} ↕${summary.moved}`,
    ...items.slice(0, LISTED).map((item) => `  ${masked(line(item))}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...checkShape(before, after).map(({ message }) => printable(`check first: ${message}`)),
  ];
}
