import type { Coverage, Proposal } from '@checkpoint-inspector/inspector';
import { compact, formatAddress, InspectorError, type Usage } from '@checkpoint-inspector/core';
import { SINCE_OPTION, sinceOf } from '../filter.ts';
import { limited, LIMIT_OPTION, masked, print, printable, table, whole } from '../output.ts';
import { taskFilter } from '../resolve.ts';
import { WATCH_OPTION, watched } from '../watched.ts';
import type { Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';
import { proposalLine, proposalsIn } from './proposals.ts';

interface FailureOptions extends Listing {
  readonly task?: string;
}

const TASK_OPTION = ['--task <task>', 'only in this task, or store/task'] as const;

export function addFailures(verbs: Verbs): void {
  verbs
    .overStores('errors', {
      group: 'look',
      about: 'group failed checkpoints and failed checks by message, each with its last good checkpoint',
      examples: ['errors', 'errors --task report', 'errors --since 24h', 'errors --watch', 'errors --json'],
    })
    .option(...TASK_OPTION)
    .option(...LIMIT_OPTION)
    .option(...SINCE_OPTION)
    .option(...WATCH_OPTION)
    .action((options: FailureOptions) => reading(verbs, options, (run) => watched(run, options, errors)));
  verbs
    .overStores('inbox', {
      group: 'look',
      about: 'list tasks and proposals waiting for a person, longest wait first',
      examples: ['inbox', 'inbox --task report', 'inbox --watch'],
    })
    .option(...TASK_OPTION)
    .option(...LIMIT_OPTION)
    .option(...SINCE_OPTION)
    .option(...WATCH_OPTION)
    .action((options: FailureOptions) => reading(verbs, options, (run) => watched(run, options, inbox)));
  verbs
    .overStores('usage', {
      group: 'look',
      about: 'add up tokens, cost and time per task and per agent',
      examples: ['usage', 'usage --agent writer', 'usage --task prod/report --json'],
    })
    .option(...TASK_OPTION)
    .option('--agent <id>', 'only this agent')
    .option(...LIMIT_OPTION)
    .action((options: UsageOptions) => reading(verbs, options, (run) => usage(run, options)));
}

async function errors({ workspace, output }: Run, { task, limit, since }: FailureOptions): Promise<void> {
  const from = sinceOf(since);
  const filter = { ...(await taskFilter(workspace, task)), ...compact({ since: from }) };
  const answer = await (await workspace.inspector()).failures.errors(filter);
  const { items, of, more } = limited(output, answer.items, limit);
  print(output, { ...answer, items, of }, () => [
    ...items.flatMap((group) => [
      printable(
        `${counted(group.count, group.outcome === undefined ? 'failure' : 'failed check')} in ${counted(group.tasks.length, 'task')}: ${words(group.pattern)}`,
      ),
      ...indented(
        table(
          ['TASK', 'NOW', 'TIME', whole('FAILED'), whole('LAST GOOD'), 'WORDS'],
          group.tasks.map((one) => [
            one.title,
            one.current ? (group.outcome ?? 'failed') : 'recovered',
            one.time ?? '',
            formatAddress(one.failed),
            one.lastNotFailed === undefined ? 'none' : formatAddress(one.lastNotFailed),
            words(one.message),
          ]),
          output.terminal,
        ),
      ),
    ]),
    ...(of === 0 ? [from === undefined ? 'No failed checkpoints.' : noneSince(from)] : []),
    ...more,
    ...footOf(answer, 'whether it failed', 'whether they failed'),
  ]);
}

/** What has no certain time may have failed then. */
const noneSince = (time: string): string => `No checkpoint is known to have failed since ${time}.`;

/** `inbox`: which tasks wait for a person, and for what. Nothing is answered here. */
async function inbox(run: Run, { task, limit, since, store }: FailureOptions): Promise<void> {
  const { workspace, output } = run;
  const from = sinceOf(since);
  const filter = { ...(await taskFilter(workspace, task)), ...compact({ since: from }) };
  const answer = await (await workspace.inspector()).failures.inbox(filter);
  const { items, of, more } = limited(output, answer.items, limit);
  const proposals = (await proposalsIn(run, store)).filter((one) => isWanted(one, filter));
  print(output, { ...answer, items, of, ...(proposals.length === 0 ? {} : { proposals }) }, () => [
    ...proposals.map((one) => proposalLine(run, one)),
    ...items.flatMap((one) => [
      printable(
        `${one.title} (${one.system}) waiting since ${one.since ?? one.sinceText ?? 'an unknown time'}: ${formatAddress(one.at)}`,
      ),
      ...indented(
        table(
          ['FROM', 'REQUEST', 'WORDS'],
          one.requests.map((request) => [request.from ?? '', request.id ?? '', words(request.text)]),
          output.terminal,
        ),
      ),
      ...(one.next === undefined ? [] : [printable(`  Resume with  ${one.next}`)]),
    ]),
    ...more,
    of > 0
      ? "Answer requests in the agent's own program."
      : `${proposals.length > 0 ? 'No task' : 'Nothing'}${from === undefined ? '' : ` saved since ${from}`} is waiting for a person.`,
    ...footOf(answer, 'whether it waits', 'whether they wait'),
  ]);
}

/** Open, and of the task and time that are asked for. */
const isWanted = (
  { outcome, store, plan, at }: Proposal,
  { task, store: only, since }: { readonly task?: string; readonly store?: string; readonly since?: string },
): boolean =>
  outcome === 'open' &&
  (task === undefined || plan.task === task) &&
  (only === undefined || store === only) &&
  (since === undefined || at >= since);

interface UsageOptions extends FailureOptions {
  readonly agent?: string;
}

async function usage({ workspace, output }: Run, { task, agent, limit }: UsageOptions): Promise<void> {
  const filter = await taskFilter(workspace, task);
  const answer = await (
    await workspace.inspector()
  ).failures.usage({ ...filter, ...(agent === undefined ? {} : { agent }) });
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
    'If only some checkpoints have a number, the cell shows how many.',
    ...footOf(answer, 'what it used', 'what they used'),
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

const words = (text = ''): string => masked(text) || '(no message)';
const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

interface Covered {
  readonly coverage: Coverage;
  readonly failures: readonly { readonly store: string; readonly error: { readonly message: string } }[];
}

/**
 * What could not be looked at is said.
 * @param ofOne what is therefore unknown of one checkpoint, and `ofSeveral` of several
 * @throws InspectorError when no store at all answered
 */
function footOf({ coverage, failures }: Covered, ofOne: string, ofSeveral: string): string[] {
  if (coverage.of === 0 && failures[0] !== undefined) throw new InspectorError('unreadable', failures[0].error.message);
  return [
    ...(coverage.unreadable > 0
      ? [
          `${counted(coverage.unreadable, 'checkpoint')} can't be read, so it is unknown ${coverage.unreadable === 1 ? ofOne : ofSeveral}.`,
        ]
      : []),
    ...failures.map(({ store, error }) => printable(`${store}: ${error.message}`)),
  ];
}
