import { findInJson, indexJson, parsePath, partOf } from '@checkpoint-inspector/core';
import type { JsonMatch, Part, PartChild, State } from '@checkpoint-inspector/core';
import { masked, print, printable, size, table, whole } from '../output.ts';
import type { Output } from '../output.ts';
import { wholeNumber } from '../workspace.ts';

export interface PartOptions {
  readonly path?: string;
  readonly offset?: string;
  readonly limit?: string;
  readonly find?: string;
}

const MOST = 1000;
const DEFAULT_LIMIT = '200';
/** Longest text of a child; with `--json` longer, as in the API. */
const PREVIEW = 200;
const SHOWN = 100;

/** `show --path` and `show --find`: some of a state, however large it is. @throws InspectorError not_found | invalid_input */
export function showPart(output: Output, state: State, options: PartOptions): void {
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
    `${printable(path)}  ${kind}, ${count} ${kind === 'array' ? 'items' : 'keys'}, ${size(length)}`,
    ...(children.length === 0 ? [] : table(['', 'SIZE', 'VALUE'], children.map(childCells), terminal)),
    ...(next < count ? [`${count - next} more: --offset ${next}`] : []),
  ];
}

const childCells = (child: PartChild): string[] => [
  `${typeof child.step === 'number' ? `[${child.step}]` : child.step}${child.shadowed ? ' (not the one that counts)' : ''}`,
  size(child.length),
  valueWords(child),
];

function valueWords({ kind, count = 0, text, cut, blob }: PartChild): string {
  if (blob)
    return `${blob.mime ?? 'base64'}, ${size(blob.bytes)}${blob.hash === undefined ? '' : `, sha256 ${blob.hash}`}`;
  if (kind === 'array' || kind === 'object') return `${kind}, ${count} ${kind === 'array' ? 'items' : 'keys'}`;
  const shown = masked(text);
  return cut || shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown;
}

function foundLines(items: readonly JsonMatch[], next: number | undefined, { terminal }: Output): string[] {
  if (items.length === 0) return ['Nothing in this state contains that.'];
  const lines = table(
    [whole('PATH'), 'IN', 'TEXT'],
    items.map((match) => [match.path, match.in, match.snippet]),
    terminal,
  );
  return next === undefined ? lines : [...lines, `There may be more: --offset ${next}`];
}
