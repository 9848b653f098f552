/** A view as Markdown, for an issue or a chat. Values stand in code, so nothing in them is taken as markup. */
import type { CheckpointMeta, Difference, DiffSummary } from '@checkpoint-inspector/core';
import { formatSize, previewJson, stepNumber } from '../../lib/format.ts';
import type { Shown } from '../../lib/masking.ts';

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
const plain = (text: string): string =>
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

const GLYPHS: Record<Difference['kind'], string> = {
  added: '+',
  removed: '−',
  changed: '~',
  moved: '↕',
  'type-changed': '⇄',
};

export interface DiffSource extends Source {
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
      : `| ${GLYPHS[item.kind]} | ${cell(item.path)} | ${cell(item.before)} | ${cell(item.after)} |`;
  const table = ['| | Path | Before | After |', '|---|---|---|---|', ...items.slice(0, ROWS).map(row)];
  return [
    ...headOf(source, `${stepNumber(base)} → ${stepNumber(meta)}`),
    `+${added} −${removed} ~${changed} ↕${moved}${ignoreRules.length === 0 ? '' : `, without ${ignoreRules.map(code).join(', ')}`}`,
    '',
    ...(items.length === 0 ? ['No difference.'] : table),
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
