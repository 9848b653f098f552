import {
  againstWords,
  checkWords,
  compact,
  endWords,
  examinedWords,
  failedWhereWords,
  formatAddress,
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
  parseExpectation,
  pathWords,
  stepRefWords,
  type CheckpointRef,
  type Explanation,
  type StoreId,
} from '@checkpoint-inspector/core';
import { coloured, many, masked, maskedAt, NOT_AS_EXPECTED, printable, type Output } from '../output.ts';
import { assertNarrows, resolveCheckpoint, resolveTask } from '../resolve.ts';
import { reading, type Common, type Verbs } from '../verbs.ts';
import type { Run, Workspace } from '../workspace.ts';
import { runOf } from './compare.ts';

interface ExplainOptions extends Common {
  readonly cp?: string;
  readonly ns?: string;
  readonly against?: string;
  readonly expect?: string;
}

/** Characters of a value on a terminal. */
const SHOWN = 60;
/** Lines of a part on a terminal. */
const LINES = 10;

export function addExplain(verbs: Verbs): void {
  verbs
    .overTask('explain <task> [store...]', {
      group: 'look',
      about: 'show facts about a run: the error, the last good checkpoint, what it wrote',
      examples: [
        'explain report',
        'explain report ./checkpoints.sqlite --json',
        'explain report --against report-retry',
        "explain report --expect '$.revenue.total=122'",
      ],
    })
    .alias('diagnose')
    .option('--cp <checkpoint>', 'the end of the branch; default: the latest')
    .option('--ns <namespace>', 'namespace of --cp')
    .option('--against <task>', 'compare with this run of the same store; default: a good run, if one is found')
    .option(
      '--expect <path>=<json>',
      `find where a value was first not this one; the exit code is ${NOT_AS_EXPECTED} if it is not at the end`,
    )
    .action((task: string, stores: readonly string[], options: ExplainOptions) =>
      reading(verbs, { ...options, store: [...(options.store ?? []), ...stores] }, (run) =>
        explain(run, task, options),
      ),
    );
}

async function explain({ workspace, output, command }: Run, name: string, options: ExplainOptions): Promise<void> {
  assertNarrows(options);
  const { cp, ns, against, expect } = options;
  const expected = expect === undefined ? {} : { expect: parseExpectation(expect, '--expect') };
  const { source, task } = await resolveTask(workspace, name);
  const store = source.info.id;
  const found = cp === undefined ? undefined : await resolveCheckpoint(workspace, cp, { task: name, ns });
  const end = found === undefined ? {} : { cp: found.ref.id, ns: found.ref.namespace ?? '' };
  const other = against === undefined ? {} : { against: await otherRun(workspace, store, against) };
  const { explanations } = await workspace.inspector();
  const progress = progressOn(process.stderr);
  const answer = await explanations
    .of(store, { task, ...end, ...other, ...expected }, { onProgress: progress.tell })
    .finally(progress.end);
  if (answer.check?.holds === false) process.exitCode = NOT_AS_EXPECTED;
  if (output.json) return output.line(masked(JSON.stringify(answer)));
  const backTo = (ref: CheckpointRef) => command('restore', formatAddress({ store, ...ref }));
  for (const line of noteOf(output, answer, backTo)) output.line(line);
}

/** @throws InspectorError invalid_input, of a run in another store */
async function otherRun(workspace: Workspace, store: StoreId, text: string) {
  const { source, query } = await runOf(workspace, text, {});
  if (source.info.id === store) return query;
  throw new InspectorError('invalid_input', `"${text}" is in another store.`, {
    remedy: 'Name a run of the same store with --against, or use compare.',
  });
}

const EVERY_MS = 500;

/** One line that is written over; a short pass needs none, and only a terminal can take it away again. */
function progressOn(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  let told = Date.now();
  let isShown = false;
  return {
    tell: (n: number, of: number): void => {
      if (!stream.isTTY || Date.now() - told < EVERY_MS) return;
      told = Date.now();
      isShown = true;
      stream.write(`\r${n.toLocaleString('en')} of ${many(of)} examined`);
    },
    end: (): void => void (isShown && stream.write('\r\u001b[K')),
  };
}

/** The facts in their order, as lines. @param backTo the command that goes back to a checkpoint */
export const noteOf = (output: Output, found: Explanation, backTo: (ref: CheckpointRef) => string): string[] =>
  new Note(output, found).lines(backTo);

class Note {
  readonly #output: Output;
  readonly #found: Explanation;
  readonly #isNarrow: boolean;

  constructor(output: Output, found: Explanation) {
    this.#output = output;
    this.#found = found;
    this.#isNarrow = output.terminal?.width !== undefined;
  }

  lines(backTo: (ref: CheckpointRef) => string): string[] {
    const { check, error, failingStep, lastGood, note, examined } = this.#found;
    const hasFailed = error !== undefined || failingStep !== undefined;
    const kind = kindWords(this.#found, this.#shown);
    return [
      ...(check === undefined ? [] : [this.#bold(checkWords(check, this.#shown)), '']),
      this.#bold(this.#headWords()),
      ...this.#error(),
      ...(kind === undefined || !hasFailed ? [] : [printable(kind)]),
      ...this.#recovered(),
      ...(hasFailed ? [printable(lastGoodWords(this.#found))] : []),
      // From a checkpoint that the failed step began from the task is run again: there is nothing to restore.
      ...(lastGood === undefined || lastGood.back === 0 ? [] : [printable(`Go back:  ${backTo(refOf(lastGood))}`)]),
      ...this.#part('What this run wrote', this.#writes()),
      ...this.#part('The error names', this.#named()),
      ...this.#against(),
      ...this.#part('Unusual values', this.#unusual()),
      '',
      ...(note === undefined ? [] : [printable(note)]),
      ...examinedWords(this.#found).map(printable),
      `${examined.n.toLocaleString('en')} of ${many(examined.of)} examined`,
    ];
  }

  #headWords(): string {
    const { task, outcome, error, failingStep, examined } = this.#found;
    if (error === undefined && failingStep === undefined && outcome !== 'waiting' && outcome !== 'running') {
      return examined.n === examined.of
        ? `Nothing failed in ${task}.`
        : `No failure found in what could be read of ${task}.`;
    }
    return `${task} ${outcomeWords(this.#found)} ${failedWhereWords(this.#found)}`.trimEnd();
  }

  #error(): string[] {
    const { error } = this.#found;
    if (error === undefined) return [];
    if (error.unsaid === true) return [`  ${NO_MESSAGE}`];
    // Masked as a whole: a secret may have several lines.
    return masked(error.message)
      .split('\n')
      .map((line) => `  ${printable(line)}`);
  }

  #recovered(): string[] {
    const { recovered } = this.#found;
    return recovered === undefined ? [] : [printable(`Recovered: ${stepRefWords(recovered)} continued from it.`)];
  }

  #writes(): string[] {
    const { writes } = this.#found;
    const areSeveral = new Set(writes.map(({ agent }) => agent)).size > 1;
    return writes.map((one) => {
      const step = stepRefWords(one.ref) + (areSeveral && one.agent !== undefined ? ` (${one.agent})` : '');
      const origin = one.origin === undefined ? '' : originWords(one.origin);
      return columns(step, pathWords(one.path), this.#change(one.path, one), origin, moreWords(one));
    });
  }

  #named(): string[] {
    return this.#found.named.map((one) => {
      const change = one.ref === undefined ? '' : this.#change(one.path ?? '$', one);
      return columns(namedWords(one), change);
    });
  }

  #against(): string[] {
    const { against } = this.#found;
    if (against === undefined) return [];
    const { differs, missing, more } = against;
    const values = differs.map(({ path, here, there }) => {
      const [a, b] = this.#both(path, {
        before: here.value,
        after: there.value,
        beforeLength: here.valueLength,
        afterLength: there.valueLength,
      });
      return columns(
        pathWords(path),
        `here ${endWords(here, path, () => a)}`,
        `there ${endWords(there, path, () => b)}`,
      );
    });
    const lines = [
      ...missing.map((one) => printable(missingWords(one, this.#shown))),
      ...values,
      ...(more === undefined
        ? []
        : [`${many(more, 'more value')} ${more === 1 ? 'differs' : 'differ'}; compare shows all`]),
    ];
    return this.#part(againstWords(against), lines.length === 0 ? ['Both end with the same data.'] : lines);
  }

  #unusual(): string[] {
    return this.#found.unusual.map((one) =>
      columns(stepRefWords(one.ref), pathWords(one.path), this.#change(one.path, one), one.reason),
    );
  }

  /** Empty where it has no lines; a terminal has room for the first of many. */
  #part(title: string, lines: readonly string[]): string[] {
    if (lines.length === 0) return [];
    const shown = this.#isNarrow ? lines.slice(0, LINES) : lines;
    const left = lines.length - shown.length;
    return [
      '',
      this.#bold(title),
      ...shown.map((line) => `  ${line}`),
      ...(left > 0 ? [`  ${left.toLocaleString('en')} more; --json has them`] : []),
    ];
  }

  #change(path: string, sent: Changed): string {
    const [old, now] = this.#both(path, sent);
    if (sent.before === undefined) return sent.after === undefined ? '' : `added ${now}`;
    return sent.after === undefined ? `removed ${old}` : `${old} → ${now}`;
  }

  /** On a terminal from where the two differ. */
  #both(path: string, sent: Changed): readonly [old: string, now: string] {
    const whole = (json: string): string => printable(maskedAt(path, json));
    if (!this.#isNarrow) return [whole(sent.before ?? ''), whole(sent.after ?? '')];
    const [old, now] = fromWhereTheyDiffer(compact(sent), whole);
    return [short(old), short(now)];
  }

  readonly #shown = (json: string, path: string): string => {
    const text = printable(oneLineJson(maskedAt(path, json)));
    return this.#isNarrow ? short(text) : text;
  };

  readonly #bold = (text: string): string => coloured(this.#output, 'bold', printable(text));
}

interface Changed {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly beforeLength?: number | undefined;
  readonly afterLength?: number | undefined;
}

const columns = (...cells: readonly string[]): string => printable(cells.filter((cell) => cell !== '').join('  '));
const short = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`);
const refOf = ({ task, namespace, id }: CheckpointRef): CheckpointRef => ({ task, id, ...compact({ namespace }) });
