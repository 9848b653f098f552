import type { CheckpointMeta, Difference, LineageRow } from '@checkpoint-inspector/core';
import { createPause, paced, type Masker } from '@checkpoint-inspector/core';
import { readState } from './gather.ts';
import { escapeHtml } from './markup.ts';
import type { PathStory, Step } from './steps.ts';
import { treeText } from './tree-text.ts';
import type { Subject } from './types.ts';

/** What the sections of a report share. */
export interface Context {
  readonly masker: Masker;
  /** Text for the page: masked, then escaped. */
  readonly show: (text: string) => string;
  /** When it was saved, in the zone that the head names; a time without a zone as stored. Plain text. */
  readonly time: (meta: CheckpointMeta) => string;
  /** Sentences on what stays out. */
  readonly left: string[];
  /** Bytes that are left for the steps and the state. */
  readonly room: { bytes: number };
}

const VALUE_LENGTH = 400;
const STATE_LENGTH = 400_000;
const GLYPH = { added: '+', removed: '−', changed: '~', moved: '↕', 'type-changed': '⇄' } as const;

/** @example numberOf({ seq: 9, stepIndex: 7 }) // '#07' */
export const numberOf = ({ seq, stepIndex }: { readonly seq: number; readonly stepIndex?: number }): string =>
  `#${String(stepIndex ?? seq).padStart(2, '0')}`;

const nameOf = (meta: CheckpointMeta): string =>
  `${meta.stepIndex === undefined ? '' : `#${meta.stepIndex} `}${meta.description ?? meta.id}`;

export function tableSection({ show, time }: Context, steps: readonly Step[]): string {
  const rows = steps.toReversed().map(({ meta, summary }) => {
    const cells = [nameOf(meta), meta.status, summary, meta.id, time(meta)].map((cell) => `<td>${show(cell)}</td>`);
    return `<tr class="${meta.status}">${cells.join('')}</tr>`;
  });
  return `<section><h2>Checkpoints</h2><div class="wide"><table>
<thead><tr><th>Step</th><th>Status</th><th>What changed</th><th>Id</th><th>Time</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div></section>`;
}

export function treeSection({ show }: Context, task: string, lineage: readonly LineageRow[]): string {
  return `<section><h2>Fork tree</h2><pre class="wide">${treeText(task, lineage).map(show).join('\n')}</pre></section>`;
}

export function historySection(context: Context, stories: readonly PathStory[]): string {
  if (stories.length === 0) return '';
  const { show } = context;
  const parts = stories.map(({ path, points }) => {
    const rows = points.map(({ meta, value }, at) => {
      const does =
        value === undefined ? 'no longer exists' : `${at === 0 ? 'set to' : 'changed to'} ${cut(context, path, value)}`;
      return `<li><b>${show(nameOf(meta))}</b> ${does}<span class="muted"> ${show(meta.agentId ?? '')}</span></li>`;
    });
    return `<h3>${show(path)}</h3><ol>${rows.join('')}</ol>`;
  });
  return `<section><h2>Numbers that changed on the way to the latest checkpoint</h2>${parts.join('\n')}</section>`;
}

/** One folded part per step, until the file is full. */
export async function diffSection(context: Context, steps: readonly Step[]): Promise<string> {
  const pause = createPause();
  const parts: string[] = [];
  let full = 0;
  for (const step of steps.toReversed()) {
    if (step.change === undefined || step.base === undefined) continue;
    await pause();
    const part = diffPart(context, step);
    if (part.length > context.room.bytes) full += 1;
    else parts.push(part);
    context.room.bytes -= part.length > context.room.bytes ? 0 : part.length;
  }
  if (full > 0)
    context.left.push(`The changes of ${full} steps did not fit in this file. Export a bundle to get all states.`);
  return `<section><h2>What each step changed</h2>${parts.join('\n')}</section>`;
}

function diffPart(context: Context, { meta, base, change }: Step): string {
  const { show } = context;
  const { added = 0, removed = 0, changed = 0, moved = 0 } = change?.summary ?? {};
  const more = change?.more ? `<p class="muted">And ${change.more} more rows.</p>` : '';
  const rows = change?.rows.map((item) => diffRow(context, item)) ?? [];
  const against = base === undefined ? '' : ` compared with ${show(nameOf(base))}`;
  return `<details${meta.status === 'failed' ? ' open' : ''}><summary><b>${show(nameOf(meta))}</b>${against}
<span class="sum">+${added} −${removed} ~${changed} ↕${moved}</span></summary>
<table><tbody>${rows.join('\n')}</tbody></table>${more}</details>`;
}

function diffRow(context: Context, item: Difference): string {
  const { kind, path } = item;
  const words = `<td class="${kind}" title="${kind}">${GLYPH[kind]}</td><td>${context.show(path)}</td>`;
  return `<tr>${words}<td>${valueOf(context, item)}</td></tr>`;
}

/** Only what is gone is struck through. */
function valueOf(context: Context, { kind, path, before, after, from }: Difference): string {
  const old = before === undefined ? '' : cut(context, path, before);
  const now = after === undefined ? '' : `<b>${cut(context, path, after)}</b>`;
  if (kind === 'removed') return `<del>${old}</del>`;
  if (kind === 'moved') return `from ${context.show(from ?? '')}`;
  return old === '' ? now : `${old} → ${now}`;
}

/** Masked before it is cut: a part of a secret has no shape. */
function cut({ masker }: Context, path: string, json: string): string {
  const text = masker.at(path, json);
  if (text.length <= VALUE_LENGTH) return escapeHtml(text);
  return `${escapeHtml(text.slice(0, VALUE_LENGTH))}… (${text.length} characters)`;
}

export async function stateSection(context: Context, subject: Subject): Promise<string> {
  const latest = subject.metas.find((meta) => meta.isLatest) ?? subject.metas.at(-1);
  if (latest === undefined) return '';
  const state = await readState(subject, latest);
  const text =
    'missing' in state ? context.masker.text(state.missing) : await paced(context.masker.jsonInSteps(state.text));
  const room = Math.max(0, Math.min(STATE_LENGTH, context.room.bytes));
  if (text.length > room)
    context.left.push(`This file contains the first ${room} of the latest state's ${text.length} characters.`);
  return `<section><h2>State of ${context.show(nameOf(latest))}</h2><details><summary>As stored</summary>
<pre>${escapeHtml(text.slice(0, room))}</pre></details></section>`;
}
