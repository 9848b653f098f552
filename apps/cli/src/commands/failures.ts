import type { Coverage } from '@checkpoint-inspector/inspector';
import { formatAddress, InspectorError, maskSecrets, type Usage } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, print, table, whole } from '../output.ts';
import { taskFilter } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

interface FailureOptions extends Listing {
  readonly task?: string;
}

const TASK_OPTION = ['--task <task>', 'only in this task, or store/task'] as const;

export function addFailures(verbs: Verbs): void {
  verbs
    .overStores('errors', {
      group: 'look',
      about: 'group the failed checkpoints, each with the last good one before it',
      examples: ['errors', 'errors --task report', 'errors --json'],
    })
    .option(...TASK_OPTION)
    .option(...LIMIT_OPTION)
    .action((options: FailureOptions) => reading(verbs, options, (run) => errors(run, options)));
  verbs
    .overStores('inbox', {
      group: 'look',
      about: 'list what waits for a person, the longest wait first',
      examples: ['inbox', 'inbox --task report'],
    })
    .option(...TASK_OPTION)
    .option(...LIMIT_OPTION)
    .action((options: FailureOptions) => reading(verbs, options, (run) => inbox(run, options)));
  verbs
    .overStores('usage', {
      group: 'look',
      about: 'add up tokens, cost and time per task and per agent',
      examples: ['usage', 'usage --agent writer', 'usage --task prod/report --json'],
    })
    .option(...TASK_OPTION)
    .option('--agent <id>', 'only of this agent')
    .option(...LIMIT_OPTION)
    .action((options: UsageOptions) => reading(verbs, options, (run) => usage(run, options)));
}

async function errors({ workspace, output }: Run, { task, limit }: FailureOptions): Promise<void> {
  const answer = await workspace.failures.errors(await taskFilter(workspace, task));
  const { items, of, more } = limited(output, answer.items, limit);
  print(output, { ...answer, items, of }, () => [
    ...items.flatMap((group) => [
      `${counted(group.count, 'failure')} in ${counted(group.tasks.length, 'task')}: ${words(group.pattern)}`,
      ...indented(
        table(
          ['TASK', 'NOW', 'TIME', whole('FAILED'), whole('LAST GOOD'), 'WORDS'],
          group.tasks.map((one) => [
            one.title,
            one.current ? 'failed' : 'went on',
            one.time ?? '',
            formatAddress(one.failed),
            one.lastGood === undefined ? 'none' : formatAddress(one.lastGood),
            words(one.message),
          ]),
          output.terminal,
        ),
      ),
    ]),
    ...(of === 0 ? ['No checkpoint has failed.'] : []),
    ...more,
    ...footOf(answer),
  ]);
}

/** `inbox`: which tasks wait for a person, and for what. Nothing is answered here. */
async function inbox({ workspace, output }: Run, { task, limit }: FailureOptions): Promise<void> {
  const answer = await workspace.failures.inbox(await taskFilter(workspace, task));
  const { items, of, more } = limited(output, answer.items, limit);
  print(output, { ...answer, items, of }, () => [
    ...items.flatMap((one) => [
      `${one.title} (${one.system}) waits since ${one.since ?? one.sinceText ?? 'an unknown time'}: ${formatAddress(one.at)}`,
      ...indented(
        table(
          ['FROM', 'REQUEST', 'WORDS'],
          one.requests.map((request) => [request.from ?? '', request.id ?? '', words(request.text)]),
          output.terminal,
        ),
      ),
      ...(one.next === undefined ? [] : [`  Go on with  ${one.next}`]),
    ]),
    ...more,
    of === 0 ? 'Nothing waits for a person.' : 'Requests are answered by the agent’s own program.',
    ...footOf(answer),
  ]);
}

interface UsageOptions extends FailureOptions {
  readonly agent?: string;
}

async function usage({ workspace, output }: Run, { task, agent, limit }: UsageOptions): Promise<void> {
  const filter = await taskFilter(workspace, task);
  const answer = await workspace.failures.usage({ ...filter, ...(agent === undefined ? {} : { agent }) });
  const { items, of, more } = limited(output, answer.items, limit);
  const head = ['CHECKPOINTS', 'TOKENS', 'COST USD', 'MS'];
  print(output, { ...answer, items, of }, () => [
    ...table(
      [...head, 'TASK'],
      items.map((one) => [...usageCells(one), `${one.store}/${one.title}`]),
      output.terminal,
    ),
    ...more,
    '',
    ...table(
      [...head, 'AGENT'],
      answer.agents.map((one) => [...usageCells(one), one.agent ?? '(no agent)']),
      output.terminal,
    ),
    '',
    'Where not all checkpoints have a number, the cell says how many do.',
    ...footOf(answer),
  ]);
}

function usageCells(usage: Usage): string[] {
  const cell = (measured: Usage['tokens']): string => {
    if (measured === undefined) return '';
    const some = measured.said === usage.checkpoints ? '' : ` (${measured.said} with a number)`;
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
