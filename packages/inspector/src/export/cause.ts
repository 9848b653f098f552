/** The first page of a report: what failed, why, from where to go on, and what likely caused it. */
import { InspectorError, parseJson, parsePath, sourceOf, valueAt, type LineageRow } from '@checkpoint-inspector/core';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Diagnosis, DiagnosisStep, SentSuspect } from '../diagnosis/types.ts';
import { readState } from './gather.ts';
import { escapeHtml } from './markup.ts';
import type { Context } from './sections.ts';
import { stepChart, type ChartPoint } from './step-chart.ts';
import type { Subject } from './types.ts';

const VALUE_LENGTH = 120;
const POINTS = 60;
const MAX_STATE_BYTES = 1_000_000;

/** Of the end of the task; where that is healthy, of the newest failure that nothing continued. Empty: nothing failed. */
export async function causeSection(
  context: Context,
  subject: Subject,
  lineage: readonly LineageRow[],
): Promise<string> {
  const found = await diagnosed(subject, lineage);
  if (found?.error === undefined) return '';
  const { show } = context;
  const { error, failingStep, lastGood, suspects, outcome, recovered } = found;
  const where = failingStep ? `${nameOf(failingStep)}${error.node === undefined ? '' : `, in node ${error.node}`}` : '';
  const what = error.from === 'status' ? 'Failed at' : 'Completed, but its state reports an error at';
  const [first] = suspects;
  return `<section class="cause"><h2>What went wrong</h2>
<p class="failed-at">${what} ${show(where)}</p>
<pre class="error">${error.unsaid === true ? 'No message was stored.' : show(error.message)}</pre>
<p>${lastGood ? `Last good: <b>${show(nameOf(lastGood))}</b>${goodWords(lastGood)}` : 'No good checkpoint comes before it.'}</p>
${recovered ? `<p>${show(nameOf(recovered))} continued from it.</p>` : ''}
<h3>${outcome === 'suspects' ? 'Likely causes: suggestions, most likely first' : 'No change before the failure stands out. Weak guesses:'}</h3>
<ol class="suspects">${suspects.map((one) => suspectItem(context, one)).join('\n')}</ol>
${outcome === 'suspects' && first ? await chartOf(context, subject, first) : ''}</section>`;
}

async function diagnosed(subject: Subject, lineage: readonly LineageRow[]): Promise<Diagnosis | undefined> {
  const { source, task } = subject;
  try {
    const latest = await diagnose(source, { task: task.id });
    if (latest.outcome !== 'healthy') return latest;
    const parents = new Set(lineage.flatMap(({ parent }) => (parent?.task === task.id ? [parent.id] : [])));
    const ends = lineage.filter((row) => row.status === 'failed' && !parents.has(row.id));
    const newest = ends.toSorted((a, b) => b.seq - a.seq)[0];
    return newest && (await diagnose(source, { task: task.id, cp: newest.id, ns: newest.namespace ?? '' }));
  } catch (error) {
    // A report of a task without a readable latest is a report all the same.
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const numberOf = ({ seq, stepIndex }: Pick<DiagnosisStep, 'seq' | 'stepIndex'>): string =>
  `#${String(stepIndex ?? seq).padStart(2, '0')}`;

const nameOf = (step: DiagnosisStep): string => `${numberOf(step)} ${step.description ?? ''}`.trim();

function goodWords({ back, holds }: NonNullable<Diagnosis['lastGood']>): string {
  if (back === 0) return ', on which the failed step ran.';
  const far = `, ${back} ${back === 1 ? 'step' : 'steps'} back.`;
  if (holds === undefined) return far;
  const [from, to] = [numberOf(holds.from), numberOf(holds.to)];
  const span = from === to ? `${from} completed but holds` : `${from} to ${to} completed but hold`;
  return `${far} ${span} the suspect value.`;
}

function suspectItem(context: Context, suspect: SentSuspect): string {
  const { show } = context;
  const reasons = suspect.reasons.map(show).join(' ');
  return `<li><code>${show(suspect.path.replace(/^\$\.(?=.)/, ''))}</code> ${changeOf(context, suspect)}
<span class="muted">${show(nameOf(suspect))}</span><br><span class="why">${reasons}</span></li>`;
}

function changeOf(context: Context, { kind, before, after }: SentSuspect): string {
  const old = before === undefined ? '' : `<code>${cut(context, before)}</code>`;
  const now = after === undefined ? '' : `<b><code>${cut(context, after)}</code></b>`;
  if (kind === 'added') return `added ${now}`;
  if (kind === 'removed') return `removed <del>${old}</del>`;
  return kind === 'unchanged' ? `stayed ${now}` : `${old} → ${now}`;
}

/** Masked before it is cut: a part of a secret has no shape. */
function cut({ redactor }: Context, json: string): string {
  const text = redactor.json(json);
  return escapeHtml(text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`);
}

/** The history of the first suspect, where it is a number: the last steps of the report that have it. */
async function chartOf(context: Context, subject: Subject, { path, ref }: SentSuspect): Promise<string> {
  const steps = parsePath(path);
  const points: ChartPoint[] = [];
  for (const meta of subject.metas.slice(-POINTS)) {
    if (meta.taskId !== ref.task || meta.sizeBytes > MAX_STATE_BYTES) continue;
    const state = await readState(subject, meta);
    if ('missing' in state) continue;
    const node = valueAt(state.text, parseJson(state.text), steps);
    const value = node?.kind === 'number' ? Number(sourceOf(state.text, node)) : Number.NaN;
    if (!Number.isFinite(value)) continue;
    points.push({ name: numberOf(meta), value, isSuspect: meta.id === ref.id });
  }
  if (points.length < 2) return '';
  const label = escapeHtml(context.redactor.text(path));
  return `<h3>${label}, step by step</h3>${stepChart(points, label)}`;
}
