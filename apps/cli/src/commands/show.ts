import { besideAt, type BesideAnswer } from '@checkpoint-inspector/inspector';
import { findInJson, formatPath, indexJson, parsePath, partOf, readableJson } from '@checkpoint-inspector/core';
import type { JsonMatch, Part, PartChild, Path, State } from '@checkpoint-inspector/core';
import { masked, maskedAt, print, printable, size, table, whole, type Output } from '../output.ts';
import { gone, resolveCheckpoint, stateOf, type Narrow } from '../resolve.ts';
import { wholeNumber, type Run } from '../workspace.ts';
import { reading, type Common, type Verbs } from '../verbs.ts';

interface PartOptions {
  readonly path?: string;
  readonly offset?: string;
  readonly limit?: string;
  readonly find?: string;
}

interface ShowOptions extends Common, Narrow, PartOptions {
  readonly raw?: boolean;
  readonly meta?: boolean;
}

export function addShow(verbs: Verbs): void {
  verbs
    .overCheckpoint('show <checkpoint>', {
      group: 'look',
      about: 'print the state exactly as stored',
      examples: [
        'show report/latest',
        "show ckpt_8f2c --path '$.messages' --offset 100",
        'show report/latest~1 --find 4200',
        'show ckpt_8f2c --meta',
      ],
      reveal:
        'show secrets as stored also in --meta, --find and the children of --path; a state or value is always printed as stored',
    })
    .option('--meta', 'print its metadata instead')
    .option('--raw', 'print the stored bytes instead')
    .option('--path <path>', 'print the value at this path, such as $.messages[0]; for an object or list, its children')
    .option('--offset <n>', 'start at this child; with --find, at this offset')
    .option('--limit <n>', 'maximum number of children or matches, 1 to 1000; default: 200')
    .option('--find <text>', 'print where this text occurs')
    .action((id: string, options: ShowOptions) => reading(verbs, options, (run) => show(run, id, options)));
}

/** `show <id>`: the state text as stored; `--path` or `--find` some of it; `--meta` all about it; `--raw` the stored bytes. */
async function show({ workspace, output }: Run, id: string, options: ShowOptions): Promise<void> {
  const found = await resolveCheckpoint(workspace, id, options);
  const { source, ref } = found;
  if (options.raw) {
    const bytes = await source.raw?.(ref);
    if (!bytes) throw gone(id);
    process.stdout.write(bytes);
    return;
  }
  if (options.meta) {
    const meta = await source.meta(ref);
    if (!meta) throw gone(ref.id);
    const beside = await besideAt(source, ref);
    print(output, { ...meta, beside }, () => [
      ...Object.entries(meta).map(([key, value]) => `${key}: ${printable(asText(value))}`),
      ...besideLines(beside),
    ]);
    return;
  }
  const state = await stateOf(found, id);
  if (options.path !== undefined || options.find !== undefined) showPart(output, state, options);
  else output.line(state.text);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function besideLines(beside: BesideAnswer): string[] {
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

const MOST = 1000;
const DEFAULT_LIMIT = '200';
/** Longest text of a child; with `--json` longer, as in the API. */
const PREVIEW = 200;
const SHOWN = 100;

/** `show --path` and `show --find`: some of a state, however large it is. @throws InspectorError not_found | invalid_input */
function showPart(output: Output, state: State, options: PartOptions): void {
  const limit = wholeNumber('--limit', options.limit ?? DEFAULT_LIMIT, { from: 1, to: MOST });
  const offset = wholeNumber('--offset', options.offset ?? '0', { from: 0, to: Number.MAX_SAFE_INTEGER });
  const index = indexJson(state.text);
  const { revision: hash } = state;
  if (options.find !== undefined) {
    const found = findInJson(index, { words: options.find, from: offset, limit });
    const length = state.text.length;
    const answer = { ...found, hash, length, reached: found.next ?? length };
    print(output, answer, () => foundLines(found.items, found.next, output));
    return;
  }
  const path = parsePath(options.path ?? '$');
  const part = partOf(index, { path, offset, limit, depth: 1, preview: PREVIEW });
  if (!output.json && part.children === undefined) {
    output.line(partOf(index, { path, limit: 1, depth: 0, preview: Number.MAX_SAFE_INTEGER }).text);
    return;
  }
  print(output, { ...part, hash }, () => partLines(part, output));
}

function partLines(part: Part, { terminal }: Output): string[] {
  const { path, kind, count = 0, length, children = [], offset = 0 } = part;
  const next = offset + children.length;
  return [
    `${printable(path)}  ${kind}, ${countWords(kind, count)}, ${size(length)}`,
    ...(children.length === 0
      ? []
      : table(
          ['', 'SIZE', 'VALUE'],
          children.map((child) => childCells(child, parsePath(path))),
          terminal,
        )),
    ...(next < count ? [`${count - next} more: --offset ${next}`] : []),
  ];
}

const countWords = (kind: Part['kind'], count: number): string =>
  `${count} ${kind === 'array' ? 'item' : 'key'}${count === 1 ? '' : 's'}`;

const childCells = (child: PartChild, path: Path): string[] => [
  `${typeof child.step === 'number' ? `[${child.step}]` : child.step}${child.shadowed ? ' (duplicate key; not the one that counts)' : ''}`,
  size(child.length),
  valueWords(child, formatPath([...path, child.step])),
];

function valueWords({ kind, count = 0, text, cut, blob }: PartChild, path: string): string {
  if (blob)
    return `${blob.mime ?? 'base64'}, ${size(blob.bytes)}${blob.hash === undefined ? '' : `, sha256 ${blob.hash}`}`;
  if (kind === 'array' || kind === 'object') return `${kind}, ${countWords(kind, count)}`;
  const shown = masked(readableJson(maskedAt(path, text)));
  return cut || shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown;
}

function foundLines(items: readonly JsonMatch[], next: number | undefined, { terminal }: Output): string[] {
  if (items.length === 0) return ['No matches in this state.'];
  const lines = table(
    [whole('PATH'), 'IN', 'TEXT'],
    items.map((match) => [
      match.path,
      match.in,
      readableJson(match.in === 'key' ? match.snippet : maskedAt(match.path, match.snippet)),
    ]),
    terminal,
  );
  return next === undefined ? lines : [...lines, `There may be more: --offset ${next}`];
}
