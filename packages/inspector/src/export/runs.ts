/** The task beside another run: totals, where they part, what each step changed, how they end. */
import { noDifference, sameRows, verdictWords, type Masker, type Measured } from '@checkpoint-inspector/core';
import { compareRuns } from '../compare/compare.ts';
import type { ComparedRun, RunComparison, RunRow, RunSide, RunStep, SentDifference } from '../compare/types.ts';
import { escapeHtml } from './markup.ts';
import { numberOf } from './sections.ts';
import type { Subject } from './types.ts';

const VALUE_LENGTH = 120;
const ROWS = 200;
const NOT_REPORTED = 'not reported';

/** Markup. @throws InspectorError not_found | ambiguous_id, of the other run */
export async function runsSection({ source, task }: Subject, other: ComparedRun, masker: Masker): Promise<string> {
  const found = await compareRuns({ source, query: { task: task.id } }, other);
  const page = new Section(masker);
  return `<section class="runs"><h2>Compared with ${page.show(nameOf(found))}</h2>
${page.totals(found)}
${page.first(found)}
${page.rows(found)}
${page.ends(found)}</section>`;
}

/** The other task; of the same one its branch. */
const nameOf = ({ a, b }: RunComparison): string =>
  a.store === b.store && a.task === b.task ? `the branch ${b.lane}, which ends at "${b.end.id}"` : `"${b.task}"`;

class Section {
  readonly #masker: Masker;

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  readonly show = (text: string): string => escapeHtml(this.#masker.text(text));

  totals({ a, b }: RunComparison): string {
    const row = (name: string, of: (side: RunSide) => string): string =>
      `<tr><th scope="row">${name}</th><td>${this.show(of(a))}</td><td>${this.show(of(b))}</td></tr>`;
    const measured =
      (of: (side: RunSide) => Measured | undefined, words: (text: string) => string) => (side: RunSide) => {
        const value = of(side)?.value;
        return value === undefined ? NOT_REPORTED : words(value);
      };
    return `<table><thead><tr><th></th><th>A: ${this.show(a.task)}</th><th>B: ${this.show(b.task)}</th></tr></thead><tbody>
${row('Outcome', ({ status, error }) => (error === undefined ? status : `${status}: ${error}`))}
${row('Steps', ({ steps }) => count(steps))}
${row(
  'Time',
  measured(
    ({ durationMs }) => durationMs,
    (ms) => `${Number(ms) / 1000} s`,
  ),
)}
${row(
  'Tokens',
  measured(
    ({ tokens }) => tokens,
    (tokens) => count(Number(tokens)),
  ),
)}
${row(
  'Cost',
  measured(
    ({ costUsd }) => costUsd,
    (usd) => `$${usd}`,
  ),
)}
</tbody></table>`;
  }

  first({ first, rows }: RunComparison): string {
    if (first === undefined) return `<p>${noDifference(rows, 'Nothing differs in their steps.')}</p>`;
    const row = rows[first.row];
    const step = row?.b ?? row?.a;
    const at = step === undefined ? '' : ` at ${this.show(`${numberOf(step)} ${stepTitle(step)}`)}`;
    const { difference } = first;
    const words =
      difference === undefined
        ? row && verdictWords(row)
        : `<code>${this.show(difference.path)}</code> A has ${this.#value(difference.path, difference.before)}, B has ${this.#value(difference.path, difference.after)}`;
    return `<p class="lede">First difference${at}: ${words}.</p>`;
  }

  rows({ rows, before, after }: RunComparison): string {
    const same = sameRows(rows);
    const told = rows.slice(same, same + ROWS);
    const left = rows.length - same - told.length + after;
    const more = left > 0 ? `<p class="muted">And ${count(left)} more rows.</p>` : '';
    const equal = same + before > 0 ? `<p>Before it, ${plural(same + before, 'step')} the same in both.</p>` : '';
    if (told.length === 0) return equal;
    return `${equal}<div class="wide"><table><thead><tr><th>A</th><th></th><th>B</th></tr></thead><tbody>
${told.map((row) => `<tr>${this.#step(row.a)}<td class="muted">${verdict(row)}</td>${this.#step(row.b)}</tr>`).join('\n')}
</tbody></table></div>${more}`;
  }

  #step(step: RunStep | undefined): string {
    if (step === undefined) return '<td class="muted">no such step</td>';
    const { error, changes = [], changed = 0, status } = step;
    const lines = [
      ...(error === undefined ? [] : [`<b>${this.show(error)}</b>`]),
      ...changes.map((item) => this.#change(item)),
      ...(changed > changes.length ? [`<span class="muted">and ${count(changed - changes.length)} more</span>`] : []),
    ];
    const head = `<b>${this.show(`${numberOf(step)} ${stepTitle(step)}`)}</b> <span class="muted">${status}</span>`;
    return `<td>${[head, ...lines].join('<br>')}</td>`;
  }

  #change({ kind, path, from, before, after }: SentDifference): string {
    const where = `<code>${this.show(path)}</code>`;
    if (kind === 'moved') return `${where} moved from <code>${this.show(from ?? '')}</code>`;
    if (kind === 'added') return `${where} added ${this.#value(path, after)}`;
    if (kind === 'removed') return `${where} removed`;
    return `${where} ${this.#value(path, before)} → ${this.#value(path, after)}`;
  }

  ends({ end }: RunComparison): string {
    if (end === undefined) return '';
    const { added, removed, changed, moved } = end.summary;
    const differ = plural(added + removed + changed + moved, 'value differs', 'values differ');
    const equal = end.equal === undefined ? '' : `, ${count(end.equal)} are equal`;
    const rows = end.items.map(({ path, kind, from, before, after }) => {
      const cells =
        kind === 'moved'
          ? [this.show(from ?? ''), this.show(path)]
          : [this.#value(path, before), this.#value(path, after)];
      return `<tr><td><code>${this.show(path)}</code></td><td>${cells.join('</td><td>')}</td></tr>`;
    });
    const table = `<table class="ends"><thead><tr><th>Value</th><th>A</th><th>B</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
    return `<h3>At the end ${differ}${equal}</h3>${rows.length === 0 ? '' : table}`;
  }

  /** Masked before it is cut: a part of a secret has no shape. */
  #value(path: string, json: string | undefined): string {
    if (json === undefined) return 'nothing';
    const text = this.#masker.at(path, json);
    return `<code>${escapeHtml(text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`)}</code>`;
  }
}

const verdict = (row: RunRow): string => escapeHtml(verdictWords(row));
const stepTitle = ({ description, trigger, ref }: RunStep): string => description ?? trigger ?? ref.id;
const count = (value: number): string => value.toLocaleString('en');
const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;
