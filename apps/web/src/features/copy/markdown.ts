/** A view as Markdown, for an issue or a chat. Values are in code, so nothing in them is taken as markup. */
import { GLYPHS } from '../diff/DiffRow.tsx';
import {
  type Address,
  type CheckpointMeta,
  type Difference,
  type DiffSummary,
  formatAddress,
  idToSegment,
} from '@checkpoint-inspector/core';
import { formatSize, previewJson, stepNumber } from '../../lib/format.ts';
import type { Shown } from '../../lib/masking.ts';
import type { View } from '../../lib/search.ts';

interface Source {
  readonly meta: CheckpointMeta;
  readonly storeLabel: string;
  readonly link: string;
  /** Secrets stay masked in what is passed on, unless they are revealed. */
  readonly shown: Shown;
}

const ROWS = 100;
const VALUE = 200;

/** Text as code, whatever signs are in it. @example code('a`b') // '``a`b``' */
export function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Signs that would end a cell of a table or begin markup. */
export const plain = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);

function headOf({ meta, storeLabel, link, shown }: Source, title: string): string[] {
  const name = meta.description === undefined ? '' : ` ${plain(shown(meta.description))}`;
  return [
    `### ${title}${name}`,
    '',
    `${plain(shown(meta.taskId))} in ${plain(storeLabel)}, ${meta.status}, ${formatSize(meta.sizeBytes)}${meta.createdAt === undefined ? '' : `, ${meta.createdAt}`}. [Open](<${link.replaceAll('>', '%3E')}>)`,
    '',
  ];
}

interface DiffSource extends Source {
  readonly base: CheckpointMeta;
  readonly items: readonly Difference[];
  readonly summary: DiffSummary;
  readonly ignoreRules: readonly string[];
}

/** A diff as a table: kind, path, old and new value. */
export function diffMarkdown(source: DiffSource): string {
  const { meta, base, items, summary, ignoreRules, shown } = source;
  const { added, removed, changed, moved } = summary;
  const cell = (text: string | undefined): string =>
    text === undefined ? '' : code(previewJson(shown(text), VALUE)).replaceAll('|', '\\|');
  const row = (item: Difference): string =>
    item.kind === 'moved'
      ? `| ↕ | ${cell(item.path)} | from ${cell(item.from)} | |`
      : `| ${GLYPHS[item.kind].glyph} | ${cell(item.path)} | ${cell(item.before)} | ${cell(item.after)} |`;
  const table = ['| | Path | Before | After |', '|---|---|---|---|', ...items.slice(0, ROWS).map(row)];
  return [
    ...headOf(source, `${stepNumber(base)} → ${stepNumber(meta)}`),
    `+${added} −${removed} ~${changed} ↕${moved}${ignoreRules.length === 0 ? '' : `, without ${ignoreRules.map(code).join(', ')}`}`,
    '',
    ...(items.length === 0 ? ['No differences.'] : table),
    ...(items.length > ROWS ? ['', `${items.length - ROWS} more.`] : []),
    '',
  ].join('\n');
}

const TEXT = 8000;

/** A checkpoint with its state, as far as that fits. */
export function checkpointMarkdown(source: Source & { readonly text: string | undefined }): string {
  const { meta, text, shown } = source;
  const facts = [
    ['Id', meta.id],
    ['Parent', meta.parentId === undefined ? undefined : `${meta.parentId} (${meta.lineage})`],
    ['Revision', meta.revision],
    ['Problem', meta.problem?.message],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  const masked = text === undefined ? undefined : shown(text);
  const fence = '`'.repeat(Math.max(3, ...(masked?.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return [
    ...headOf(source, stepNumber(meta)),
    ...facts.map(([name, value]) => `- ${name}: ${code(shown(value))}`),
    ...(masked === undefined
      ? []
      : ['', `${fence}json`, masked.length > TEXT ? `${masked.slice(0, TEXT)}…` : masked, fence]),
    '',
  ].join('\n');
}

// The view on the screen as a call that a script or an agent can make. The token is written as `$TOKEN`.

export interface ViewPlace {
  readonly view: View;
  readonly at: Address;
  readonly base: Address | undefined;
  /** The store as the command line opens it. */
  readonly location: string | undefined;
  readonly origin: string;
  /** Ignore rules that are not the store's own. */
  readonly rules: readonly string[] | undefined;
}

/** Safe in a POSIX shell whatever is in it. @example shellWord("it's") // "'it'\\''s'" */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const storeOption = ({ location }: ViewPlace): string[] => (location === undefined ? [] : ['-s', location]);

/** @example "checkpoint-inspector diff ckpt-06 ckpt-07 --task run-1 -s ./research.db" */
export function cliCall(place: ViewPlace): string {
  const { view, at, base, rules } = place;
  const narrow = ['--task', at.task, ...(at.namespace === undefined ? [] : ['--ns', at.namespace])];
  const isDiff = view === 'changes' && base !== undefined && base.task === at.task && base.store === at.store;
  const ignored =
    rules === undefined ? [] : rules.length === 0 ? ['--all'] : rules.flatMap((rule) => ['--ignore', rule]);
  const words = isDiff
    ? ['diff', base.id, at.id, ...narrow, ...ignored]
    : ['show', at.id, ...narrow, ...(view === 'raw' ? ['--raw'] : view === 'meta' ? ['--meta'] : [])];
  return ['checkpoint-inspector', ...words, ...storeOption(place)].map(shellWord).join(' ');
}

/** @example `curl -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:4600/api/diff?a=…&b=…'` */
export function curlCall(place: ViewPlace): string {
  return `curl -H "Authorization: Bearer $TOKEN" '${place.origin}/api/${apiPath(place).replaceAll("'", '%27')}'`;
}

function apiPath({ view, at, base, rules }: ViewPlace): string {
  if (view === 'changes' && base !== undefined) {
    const query = new URLSearchParams([
      ['a', formatAddress(base)],
      ['b', formatAddress(at)],
      ...(rules === undefined ? [] : rules.length === 0 ? [['ignore', '']] : rules.map((rule) => ['ignore', rule])),
    ]);
    return `diff?${query.toString()}`;
  }
  const part = view === 'meta' ? '' : view === 'raw' ? '/raw' : '/state';
  const narrow = new URLSearchParams({ task: at.task, ns: at.namespace ?? '' });
  return `stores/${at.store}/checkpoints/${idToSegment(at.id)}${part}?${narrow.toString()}`;
}

/** The call of the tool that returns this checkpoint, as JSON-RPC. */
export function mcpCall({ at }: ViewPlace): string {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'checkpoint_load', arguments: { sessionId: at.task, checkpointId: at.id, store: at.store } },
  };
  return JSON.stringify(call, undefined, 2);
}
