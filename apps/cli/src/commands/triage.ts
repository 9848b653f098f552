import { createTriage } from '@checkpoint-inspector/api';
import type { Coverage } from '@checkpoint-inspector/api';
import { formatAddress, InspectorError, maskSecrets } from '@checkpoint-inspector/core';
import type { StoreId, Usage } from '@checkpoint-inspector/core';
import { print, table } from '../output.ts';
import type { Run, Session } from '../session.ts';

/** A command waits until all is looked through. */
const TO_THE_END = 2 ** 31 - 1;

export interface TriageOptions {
  readonly task?: string;
}

/** `errors`: failed checkpoints in groups, with the last good one of each task. */
export async function errors({ session, output }: Run, { task }: TriageOptions): Promise<void> {
  const answer = await triageOf(session).errors(taskQuery(task));
  print(output, answer, () => [
    ...answer.items.flatMap((group) => [
      `${counted(group.count, 'failure')} in ${counted(group.tasks.length, 'task')}: ${words(group.pattern)}`,
      ...indented(
        table(
          ['TASK', 'NOW', 'TIME', 'FAILED', 'LAST GOOD', 'WORDS'],
          group.tasks.map((one) => [
            one.title,
            one.current ? 'failed' : 'went on',
            one.time ?? '',
            formatAddress(one.failed),
            one.lastGood === undefined ? 'none' : formatAddress(one.lastGood),
            words(one.message),
          ]),
        ),
      ),
    ]),
    ...(answer.items.length === 0 ? ['No checkpoint has failed.'] : []),
    ...footOf(answer),
  ]);
}

/** `inbox`: which tasks wait for a person, and for what. Nothing is answered here. */
export async function inbox({ session, output }: Run, { task }: TriageOptions): Promise<void> {
  const answer = await triageOf(session).inbox(taskQuery(task));
  print(output, answer, () => [
    ...answer.items.flatMap((one) => [
      `${one.title} (${one.system}) waits since ${one.since ?? one.sinceText ?? 'an unknown time'}: ${formatAddress(one.at)}`,
      ...indented(
        table(
          ['FROM', 'REQUEST', 'WORDS'],
          one.requests.map((request) => [request.from ?? '', request.id ?? '', words(request.text)]),
        ),
      ),
      ...(one.next === undefined ? [] : [`  Go on with  ${one.next}`]),
    ]),
    answer.items.length === 0 ? 'Nothing waits for a person.' : 'Requests are answered by the agent’s own program.',
    ...footOf(answer),
  ]);
}

export interface UsageOptions extends TriageOptions {
  readonly agent?: string;
}

/** `usage`: tokens, cost and time per task and per agent. */
export async function usage({ session, output }: Run, { task, agent }: UsageOptions): Promise<void> {
  const answer = await triageOf(session).usage({ ...taskQuery(task), ...(agent === undefined ? {} : { agent }) });
  const head = ['CHECKPOINTS', 'TOKENS', 'COST USD', 'MS'];
  print(output, answer, () => [
    ...table(
      [...head, 'TASK'],
      answer.items.map((one) => [...usageCells(one), `${one.store}/${one.title}`]),
    ),
    '',
    ...table(
      [...head, 'AGENT'],
      answer.agents.map((one) => [...usageCells(one), one.agent ?? '(no agent named)']),
    ),
    '',
    'A cell says how many checkpoints name a number where not all do.',
    ...footOf(answer),
  ]);
}

const triageOf = (session: Session) => createTriage(session.stores, TO_THE_END);

const taskQuery = (task: string | undefined): { task?: string; store?: StoreId } =>
  task === undefined ? {} : { task };

function usageCells(usage: Usage): string[] {
  const cell = (measured: Usage['tokens']): string => {
    if (measured === undefined) return '';
    const some = measured.said === usage.checkpoints ? '' : ` (${measured.said} say so)`;
    return `${measured.value}${some}`;
  };
  return [String(usage.checkpoints), cell(usage.tokens), cell(usage.costUsd), cell(usage.durationMs)];
}

const words = (text = ''): string => maskSecrets(text) || '(no message)';
const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

interface Covered {
  readonly coverage: Coverage;
  readonly failures: readonly { readonly store: string; readonly error: { readonly message: string } }[];
}

/** What could not be looked at is said. @throws InspectorError when no store at all answered */
function footOf({ coverage, failures }: Covered): string[] {
  if (coverage.of === 0 && failures[0] !== undefined) throw new InspectorError('unreadable', failures[0].error.message);
  return [
    ...(coverage.unreadable > 0
      ? [`${counted(coverage.unreadable, 'checkpoint')} cannot be read: whether they failed is not known.`]
      : []),
    ...failures.map(({ store, error }) => `${store}: ${error.message}`),
  ];
}
