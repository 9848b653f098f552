/** The first page of a report: what failed, why, from where to go on, and what likely caused it. */
import {
  InspectorError,
  NO_LAST_GOOD,
  parseJson,
  parsePath,
  sourceOf,
  valueAt,
  type CheckpointRef,
  type LineageRow,
} from '@checkpoint-inspector/core';
import type { Diagnosis, DiagnosisStep, SentSuspect } from '../diagnosis/types.ts';
import { readState } from './gather.ts';
import { runOf } from './run.ts';
import { escapeHtml } from './markup.ts';
import { numberOf, type Context } from './sections.ts';
import { stepChart, type ChartPoint } from './step-chart.ts';
import type { ReportOptions, Subject } from './types.ts';

type Diagnose = NonNullable<ReportOptions['diagnose']>;

const VALUE_LENGTH = 120;
const POINTS = 60;
/** On the first page; the others are folded below. */
const SHOWN = 3;
const MAX_STATE_BYTES = 1_000_000;

/** Of the end of the task; where that is healthy, of the newest failure that nothing continued. Empty: nothing failed. */
export async function causeSection(
  context: Context,
  subject: Subject,
  lineage: readonly LineageRow[],
  diagnose: Diagnose,
): Promise<string> {
  const found = await diagnosed(subject, lineage, diagnose);
  if (found?.error === undefined) return '';
  const { show } = context;
  const { failingStep, lastGood, suspects, outcome, recovered } = found;
  const [first] = suspects;
  const run = await runOf(context, subject, found, lineage);
  return `<section class="cause"><h2>What went wrong</h2>
${outcome === 'suspects' && first ? ledeOf(context, first) : ''}
<div class="facts"><div class="failure">${failureOf(context, found.error, failingStep)}</div>
<div><p>${lastGood ? `Last good: <b>${show(nameOf(lastGood))}</b>${goodWords(lastGood)}` : `${NO_LAST_GOOD}.`}</p>
${recovered ? `<p>${show(nameOf(recovered))} continued from it.</p>` : ''}</div>
<div>${nowOf(context, subject, found.error)}</div></div>
${causesOf(context, found)}
${moreOf(context, suspects.slice(SHOWN))}
${outcome === 'suspects' && first ? await chartOf(context, subject, first, wayTo(found.error.checkpoint, lineage)) : ''}
${run}</section>`;
}

function causesOf(context: Context, { suspects, outcome }: Diagnosis): string {
  if (suspects.length === 0) return '<h3>No change is clearly the cause.</h3>';
  const head =
    outcome === 'suspects'
      ? 'Likely causes: suggestions, most likely first'
      : 'No single change is clearly the cause. Possible causes: guesses, most likely first';
  const items = suspects.slice(0, SHOWN).map((one) => suspectItem(context, one));
  return `<h3>${head}</h3>\n<ol class="suspects">${items.join('\n')}</ol>`;
}

/** The answer in one sentence. */
function ledeOf(context: Context, suspect: SentSuspect): string {
  const { show } = context;
  const [path, step] = [show(shortPath(suspect.path)), show(nameOf(suspect))];
  return `<p class="lede">The likeliest cause is <b>${step}</b>: <code>${path}</code> ${changeOf(context, suspect)}.</p>`;
}

function moreOf(context: Context, suspects: readonly SentSuspect[]): string {
  if (suspects.length === 0) return '';
  const items = suspects.map((one) => suspectItem(context, one)).join('\n');
  return `<details><summary>${suspects.length} more, less likely</summary><ol class="further" start="${SHOWN + 1}">${items}</ol></details>`;
}

/** Ids of the checkpoints on the way to this one. */
function wayTo({ id, task }: CheckpointRef, lineage: readonly LineageRow[]): ReadonlySet<string> {
  const parents = new Map(lineage.map((row) => [row.id, row.parent?.task === task ? row.parent.id : undefined]));
  const way = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !way.has(at); at = parents.get(at)) way.add(at);
  return way;
}

function failureOf({ show }: Context, error: NonNullable<Diagnosis['error']>, step: Diagnosis['failingStep']): string {
  const where = step ? `${nameOf(step)}${error.node === undefined ? '' : `, in node ${error.node}`}` : '';
  const what =
    error.from === 'status'
      ? 'Failed at'
      : error.kind === 'check'
        ? 'Completed with a failed check at'
        : 'Completed, but its state reports an error at';
  return `<p class="failed-at">${what} ${show(where)}</p>
<pre class="error">${error.unsaid === true ? 'No message was stored.' : show(error.message)}</pre>`;
}

/** Where the task is today. */
function nowOf({ show, time }: Context, { metas }: Subject, error: NonNullable<Diagnosis['error']>): string {
  const latest = metas.find((meta) => meta.isLatest) ?? metas.at(-1);
  if (latest === undefined) return '';
  const when = time(latest);
  const saved = when === '' ? '' : `<p class="muted">saved ${show(when)}</p>`;
  if (latest.id === error.checkpoint.id) {
    const still = error.from === 'status' ? 'still failed' : `still ${latest.status}, with this in its state`;
    return `<p>Now: <b>${still}</b>. Nothing was saved after it.</p>${saved}`;
  }
  return `<p>Now: <b>${latest.status}</b> at ${show(`${numberOf(latest)} ${latest.description ?? ''}`.trim())}.</p>${saved}`;
}

async function diagnosed(
  { task }: Subject,
  lineage: readonly LineageRow[],
  diagnose: Diagnose,
): Promise<Diagnosis | undefined> {
  try {
    const latest = await diagnose({ task: task.id });
    if (latest.outcome !== 'healthy') return latest;
    const parents = new Set(lineage.flatMap(({ parent }) => (parent?.task === task.id ? [parent.id] : [])));
    const ends = lineage.filter((row) => row.status === 'failed' && !parents.has(row.id));
    const newest = ends.toSorted((a, b) => b.seq - a.seq)[0];
    return newest && (await diagnose({ task: task.id, cp: newest.id, ns: newest.namespace ?? '' }));
  } catch (error) {
    // A report of a task without a readable latest is a report all the same.
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const nameOf = (step: DiagnosisStep): string => `${numberOf(step)} ${step.description ?? ''}`.trim();

function goodWords({ back, holds }: NonNullable<Diagnosis['lastGood']>): string {
  if (back === 0) return ', where the failed step started.';
  const far = `, ${back} ${back === 1 ? 'step' : 'steps'} back.`;
  if (holds === undefined) return far;
  const [from, to] = [numberOf(holds.from), numberOf(holds.to)];
  const span = from === to ? `${from} did not fail but holds` : `${from} to ${to} did not fail but hold`;
  return `${far} ${span} the suspect value.`;
}

const shortPath = (path: string): string => path.replace(/^\$\.(?=.)/, '');

function suspectItem(context: Context, suspect: SentSuspect): string {
  const { show } = context;
  const reasons = suspect.reasons.map(show).join(' ');
  return `<li><code>${show(shortPath(suspect.path))}</code> ${changeOf(context, suspect)}
<span class="muted">${show(nameOf(suspect))}</span><br><span class="why">${reasons}</span></li>`;
}

function changeOf(context: Context, { kind, path, before, after }: SentSuspect): string {
  const old = before === undefined ? '' : `<code>${cut(context, path, before)}</code>`;
  const now = after === undefined ? '' : `<b><code>${cut(context, path, after)}</code></b>`;
  if (kind === 'added') return `added ${now}`;
  if (kind === 'removed') return `removed <del>${old}</del>`;
  return kind === 'unchanged' ? `stayed ${now}` : `${old} → ${now}`;
}

/** Masked before it is cut: a part of a secret has no shape. */
function cut({ masker }: Context, path: string, json: string): string {
  const text = masker.at(path, json);
  return escapeHtml(text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`);
}

/** The history of the first suspect on the way to the failure, where it is a number: the last steps that have it. */
async function chartOf(
  context: Context,
  subject: Subject,
  { path, ref }: SentSuspect,
  way: ReadonlySet<string>,
): Promise<string> {
  const steps = parsePath(path);
  const points: ChartPoint[] = [];
  for (const meta of subject.metas.filter(({ id }) => way.has(id)).slice(-POINTS)) {
    if (meta.taskId !== ref.task || meta.sizeBytes > MAX_STATE_BYTES) continue;
    const state = await readState(subject, meta);
    if ('missing' in state) continue;
    const node = valueAt(state.text, parseJson(state.text), steps);
    const value = node?.kind === 'number' ? Number(sourceOf(state.text, node)) : Number.NaN;
    if (!Number.isFinite(value)) continue;
    points.push({ name: numberOf(meta), value, isSuspect: meta.id === ref.id });
  }
  if (points.length < 2) return '';
  const label = escapeHtml(context.masker.text(shortPath(path)));
  return `<h3>${label}, step by step</h3>${stepChart(points, label)}`;
}
