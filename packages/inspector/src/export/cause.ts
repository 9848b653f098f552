/** The first page of a report: what failed, from where to go on, and the facts about the run in their order. */
import {
  againstWords,
  checkWords,
  compact,
  endWords,
  examinedWords,
  failedWhereWords,
  fromWhereTheyDiffer,
  InspectorError,
  kindWords,
  lastGoodWords,
  missingWords,
  moreWords,
  namedWords,
  NO_MESSAGE,
  oneLineJson,
  originWords,
  outcomeWords,
  parseJson,
  parsePath,
  pathWords,
  sourceOf,
  stepRefWords,
  valueAt,
  type CheckpointRef,
  type Explanation,
  type LineageRow,
} from '@checkpoint-inspector/core';
import { readState } from './gather.ts';
import { runOf } from './run.ts';
import { escapeHtml } from './markup.ts';
import { numberOf, type Context } from './sections.ts';
import { stepChart, type ChartPoint } from './step-chart.ts';
import type { ReportOptions, Subject } from './types.ts';

type Explain = NonNullable<ReportOptions['explain']>;

const VALUE_LENGTH = 120;
const POINTS = 60;
/** Of a list on the first page; the others are folded below. */
const SHOWN = 6;
const MAX_STATE_BYTES = 1_000_000;

/** Of the end of the task; where that is healthy, of the newest failure that nothing continued. Empty: nothing failed. */
export async function causeSection(
  context: Context,
  subject: Subject,
  lineage: readonly LineageRow[],
  explain: Explain,
): Promise<string> {
  const found = await explained(subject, lineage, explain);
  if (found?.error === undefined) return '';
  const { show } = context;
  const shown = shownIn(context);
  const kind = kindWords(found, shown);
  const { check, recovered, note } = found;
  const run = await runOf(context, subject, found, lineage);
  return `<section class="cause"><h2>What went wrong</h2>
${kind === undefined ? '' : `<p class="lede">${show(kind)}</p>`}
<div class="facts"><div class="failure">${failureOf(context, found)}</div>
<div><p>${show(lastGoodWords(found))}</p>
${recovered ? `<p>${show(stepRefWords(recovered))} continued from it.</p>` : ''}</div>
<div>${nowOf(context, subject, found.error)}</div></div>
${check === undefined ? '' : `<p>${show(checkWords(check, shown))}</p>`}
${new Facts(context).markup(found)}
${await chartOf(context, subject, found, lineage)}
${[...(note === undefined ? [] : [note]), ...examinedWords(found)].map((text) => `<p class="muted">${show(text)}</p>`).join('\n')}
${run}</section>`;
}

const shownIn =
  ({ masker }: Context) =>
  (json: string, path: string): string =>
    clipped(oneLineJson(masker.at(path, json)));

/** Each list of facts under its heading; nothing where it is empty. */
class Facts {
  readonly #context: Context;
  readonly #show: Context['show'];

  constructor(context: Context) {
    this.#context = context;
    this.#show = context.show;
  }

  markup({ writes, named, against, unusual }: Explanation): string {
    const wrote = writes.map((one) => {
      const more = [one.origin && originWords(one.origin), moreWords(one)].filter(Boolean).join(', ');
      return this.#item(stepRefWords(one.ref), one.path, this.#change(one.path, one), more);
    });
    const names = named.map((one) => {
      const change = one.ref === undefined ? '' : this.#change(one.path ?? '$', one);
      return `<li>${this.#show(namedWords(one))} ${change}</li>`;
    });
    const odd = unusual.map((one) =>
      this.#item(stepRefWords(one.ref), one.path, this.#change(one.path, one), one.reason),
    );
    return [
      this.#list('What this run wrote', wrote),
      this.#list('The error names', names),
      against === undefined ? '' : this.#list(againstWords(against), this.#against(against)),
      this.#list('Unusual values', odd),
    ].join('\n');
  }

  #against({ differs, missing, more }: NonNullable<Explanation['against']>): string[] {
    const calls = missing.map((one) => `<li>${this.#show(missingWords(one, shownIn(this.#context)))}</li>`);
    const values = differs.map(({ path, here, there }) => {
      const lengths = { beforeLength: here.valueLength, afterLength: there.valueLength };
      const [a, b] = this.#both(path, compact({ before: here.value, after: there.value, ...lengths }));
      const end = (of: typeof here, text: string): string => escapeHtml(endWords(of, path, () => text));
      return `<li><code>${this.#show(pathWords(path))}</code> here ${end(here, a)}; there ${end(there, b)}</li>`;
    });
    const rest = more === undefined ? [] : [`<li>${more} more ${more === 1 ? 'value differs' : 'values differ'}.</li>`];
    const all = [...calls, ...values, ...rest];
    return all.length === 0 ? ['<li>Both end with the same data.</li>'] : all;
  }

  #list(title: string, items: readonly string[]): string {
    if (items.length === 0) return '';
    const rest = items.slice(SHOWN);
    const more = `<details><summary>${rest.length} more</summary><ul class="told">${rest.join('\n')}</ul></details>`;
    return `<h3>${this.#show(title)}</h3>
<ul class="told">${items.slice(0, SHOWN).join('\n')}</ul>${rest.length === 0 ? '' : more}`;
  }

  #item(step: string, path: string, change: string, why: string): string {
    const reason = why === '' ? '' : ` <span class="why">${this.#show(why)}</span>`;
    return `<li>${this.#show(step)} <code>${this.#show(pathWords(path))}</code> ${change}${reason}</li>`;
  }

  #change(path: string, sent: Changed): string {
    const { before, after } = sent;
    const [old, now] = this.#both(path, sent).map(escapeHtml);
    if (before === undefined) return after === undefined ? '' : `added <b><code>${now}</code></b>`;
    if (after === undefined) return `removed <del><code>${old}</code></del>`;
    return `<code>${old}</code> → <b><code>${now}</code></b>`;
  }

  /** Masked before they are cut: a part of a secret has no shape. */
  #both(path: string, sent: Changed): [old: string, now: string] {
    const whole = (json: string): string => this.#context.masker.at(path, json);
    const areLong = Math.min(sent.before?.length ?? 0, sent.after?.length ?? 0) > VALUE_LENGTH;
    const [old, now] = areLong ? fromWhereTheyDiffer(sent, whole) : [whole(sent.before ?? ''), whole(sent.after ?? '')];
    return [clipped(old), clipped(now)];
  }
}

interface Changed {
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

const clipped = (text: string): string => (text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`);

/** Refs of the checkpoints on the way to this one. */
function wayTo({ id, task }: CheckpointRef, lineage: readonly LineageRow[]): ReadonlySet<string> {
  const parents = new Map(lineage.map((row) => [row.id, row.parent?.task === task ? row.parent.id : undefined]));
  const way = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !way.has(at); at = parents.get(at)) way.add(at);
  return way;
}

function failureOf({ show }: Context, explanation: Explanation): string {
  const { error, outcome } = explanation;
  const where = failedWhereWords(explanation);
  const what = sentence(outcomeWords({ outcome: outcome === 'check_failed' ? outcome : 'failed' }));
  return `<p class="failed-at">${what} ${show(where)}</p>
<pre class="error">${error?.unsaid === true ? NO_MESSAGE : show(error?.message ?? '')}</pre>`;
}

const sentence = (text: string): string => text.replace(/^[a-z]/, (first) => first.toUpperCase());

/** Where the task is today. */
function nowOf({ show, time }: Context, { metas }: Subject, error: NonNullable<Explanation['error']>): string {
  const latest = metas.find((meta) => meta.isLatest) ?? metas.at(-1);
  if (latest === undefined) return '';
  const when = time(latest);
  const saved = when === '' ? '' : `<p class="muted">saved ${show(when)}</p>`;
  if (latest.id === error.ref.id) {
    const still = latest.status === 'failed' ? 'still failed' : `still ${latest.status}, with this in its state`;
    return `<p>Now: <b>${still}</b>. Nothing was saved after it.</p>${saved}`;
  }
  return `<p>Now: <b>${latest.status}</b> at ${show(`${numberOf(latest)} ${latest.description ?? ''}`.trim())}.</p>${saved}`;
}

async function explained(
  { task }: Subject,
  lineage: readonly LineageRow[],
  explain: Explain,
): Promise<Explanation | undefined> {
  try {
    const latest = await explain({ task: task.id });
    if (latest.error !== undefined) return latest;
    const parents = new Set(lineage.flatMap(({ parent }) => (parent?.task === task.id ? [parent.id] : [])));
    const ends = lineage.filter((row) => row.status === 'failed' && !parents.has(row.id));
    const newest = ends.toSorted((a, b) => b.seq - a.seq)[0];
    return newest && (await explain({ task: task.id, cp: newest.id, ns: newest.namespace ?? '' }));
  } catch (error) {
    // A report of a task without a readable latest is a report all the same.
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const isNumber = (json: string | undefined): boolean => json !== undefined && Number.isFinite(Number(json));

/** What the error names, else what was written last, where it is a number: its history on the way to the failure. */
async function chartOf(
  context: Context,
  subject: Subject,
  { named, writes, error }: Explanation,
  lineage: readonly LineageRow[],
): Promise<string> {
  const charted = [...named, ...writes].find(({ ref, before, after }) => ref && isNumber(before) && isNumber(after));
  const { path, ref } = charted ?? {};
  if (path === undefined || ref === undefined || error === undefined) return '';
  const steps = parsePath(path);
  const way = wayTo(error.ref, lineage);
  const points: ChartPoint[] = [];
  for (const meta of subject.metas.filter(({ id }) => way.has(id)).slice(-POINTS)) {
    if (meta.taskId !== ref.task || meta.sizeBytes > MAX_STATE_BYTES) continue;
    const state = await readState(subject, meta);
    if ('missing' in state) continue;
    const node = valueAt(state.text, parseJson(state.text), steps);
    const value = node?.kind === 'number' ? Number(sourceOf(state.text, node)) : Number.NaN;
    if (!Number.isFinite(value)) continue;
    points.push({ name: numberOf(meta), value, isMarked: meta.id === ref.id });
  }
  if (points.length < 2) return '';
  const label = escapeHtml(context.masker.text(pathWords(path)));
  return `<h3>${label}, step by step</h3>${stepChart(points, label)}`;
}
