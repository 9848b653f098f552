import { besideAt } from '@checkpoint-inspector/inspector';
import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, CheckpointRef } from '@checkpoint-inspector/core';
import { print, printable, size } from '../output.ts';
import { resolveCheckpoint } from '../resolve.ts';
import type { Narrow } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { narrowed, reading } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';
import { showPart } from './part.ts';
import type { PartOptions } from './part.ts';
import type { BesideAnswer } from '@checkpoint-inspector/inspector';

interface ShowOptions extends Common, Narrow, PartOptions {
  readonly raw?: boolean;
  readonly meta?: boolean;
}

export function addShow(verbs: Verbs): void {
  narrowed(
    verbs.overStores('show <checkpoint>', {
      group: 'look',
      about: 'print the state as it is stored',
      examples: [
        'show report/latest',
        'show ckpt_8f2c --path $.messages --offset 100',
        'show report/latest~1 --find 4200',
        'show ckpt_8f2c --meta',
      ],
    }),
  )
    .option('--meta', 'print all about it instead')
    .option('--raw', 'print the stored bytes instead')
    .option('--path <path>', 'print the value at this path, such as $.messages[0]; of an object or list its children')
    .option('--offset <n>', 'begin at this child; with --find at this offset')
    .option('--limit <n>', 'children or matches at most, 1 to 1000; default 200')
    .option('--find <text>', 'print where this text is')
    .action((id: string, options: ShowOptions) => reading(verbs, options, (run) => show(run, id, options)));
}

/** `show <id>`: the state text as stored; `--path` or `--find` some of it; `--meta` all about it; `--raw` the stored bytes. */
async function show({ workspace, output }: Run, id: string, options: ShowOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(workspace, id, options);
  if (options.raw) {
    const bytes = await source.raw?.(ref);
    if (!bytes) throw gone(id);
    process.stdout.write(bytes);
    return;
  }
  if (options.meta) {
    const meta = await metaOf(source, ref);
    const beside = await besideAt(source, ref);
    print(output, { ...meta, beside }, () => [
      ...Object.entries(meta).map(([key, value]) => `${key}: ${printable(asText(value))}`),
      ...besideLines(beside),
    ]);
    return;
  }
  const state = await source.state(ref);
  if (!state) throw gone(id);
  if (options.path !== undefined || options.find !== undefined) showPart(output, state, options);
  else output.line(state.text);
}

async function metaOf(source: CheckpointSource, ref: CheckpointRef): Promise<CheckpointMeta> {
  const meta = await source.meta(ref);
  if (!meta) throw gone(ref.id);
  return meta;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const gone = (id: string): InspectorError =>
  new InspectorError('not_found', `Checkpoint "${id}" is not in the store any more.`, { data: { id } });

export function besideLines(beside: BesideAnswer): string[] {
  const { errors = [], requests, writes = [], moreWrites = 0, next = [], refused } = beside;
  return [
    ...errors.map((error) => `error: ${errorWords(error)}`),
    ...(next.length === 0 ? [] : [`next: ${printable(next.join(', '))}`]),
    ...requests.map(({ from, text }) => `asks: ${named(from, text)}`),
    ...writes.map(({ taskId, node, channel, text, problem, sizeBytes }) =>
      named(`write: ${node ?? taskId} ${channel}`, text ?? `${problem ?? ''} (${size(sizeBytes)})`),
    ),
    ...(moreWrites === 0 ? [] : [`writes that are not listed: ${moreWrites}`]),
    ...Object.entries(refused).map(([act, reason]) => `no ${act}: ${printable(reason)}`),
  ];
}

export const errorWords = ({ node, text }: { readonly node?: string; readonly text: string }): string =>
  named(node, text);

const named = (name: string | undefined, text: string): string =>
  printable(name === undefined ? text : `${name}: ${text}`);
