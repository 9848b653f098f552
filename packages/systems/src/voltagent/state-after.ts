/** What a row held after some of its steps, built from the row as it is now, value by value as written. */
import { quoteJson, sourceOf } from '@checkpoint-inspector/core';
import { membersOf, objectText, type Member } from '../run-row/json.ts';
import { RESTART, type DoneStep, type Execution } from './execution.ts';
import { KEYS } from './tables.ts';

/** Of how the run ended, or what was answered. */
const LATER: ReadonlySet<string> = new Set(['output', 'cancellation', 'suspension']);
const LATER_METADATA: ReadonlySet<string> = new Set([RESTART, 'errorMessage', 'error', 'resumedAt']);

/**
 * The row as VoltAgent continues with it after `index` steps: the next one runs, or waits for its answer where it had one.
 * @example stateAfter(parseExecution('{"id":"run-1","status":"completed",…}'), 1)
 */
export function stateAfter(execution: Execution, index: number): string {
  const { text } = execution;
  const done = execution.done.slice(0, index);
  const next = execution.done[index];
  const isWaiting = next !== undefined && wasAnswered(execution, next);
  const set = new Map<string, string>([
    ['status', isWaiting ? '"suspended"' : '"running"'],
    ['events', eventsBefore(execution, index)],
    ['metadata', metadataAfter(execution, done)],
    ...(isWaiting ? [['suspension', suspensionAt(execution, done, next)] as const] : []),
  ]);
  const kept = execution.root.members.filter(({ key }) => !LATER.has(key));
  const members = kept.map(({ key, value }): Member => [key, set.get(key) ?? sourceOf(text, value)]);
  const missing = [...set].filter(([key]) => !kept.some((member) => member.key === key));
  return objectText([...members, ...missing].toSorted(([a], [b]) => KEYS.indexOf(a) - KEYS.indexOf(b)));
}

/** An answer begins a new list of events, with the step that had waited. A replay has the mark of the original's answer. */
function wasAnswered({ node, events }: Execution, next: DoneStep): boolean {
  if (node('metadata', 'resumedAt') === undefined || node('metadata', 'replayedFromExecutionId') !== undefined)
    return false;
  return events.find(({ type }) => type === 'step-start')?.from === next.id;
}

function eventsBefore({ text, events, done, open }: Execution, index: number): string {
  const later = new Set([...done.slice(index).map(({ id }) => id), open]);
  const at = events.findIndex(
    ({ type, from }) => type === 'workflow-error' || (type !== 'workflow-start' && later.has(from)),
  );
  const before = at === -1 ? events : events.slice(0, at);
  return `[${before.map(({ root }) => sourceOf(text, root)).join(',')}]`;
}

/** What all of VoltAgent's checkpoints have: the results until then, and what the last of them gave. */
function resultsAfter(execution: Execution, done: readonly DoneStep[]): readonly Member[] {
  const { text, node } = execution;
  const input = node('input');
  const state = node('workflowState');
  return [
    ['stepExecutionState', done.at(-1)?.output ?? (input ? sourceOf(text, input) : 'null')],
    ['completedStepsData', `[${done.map((step) => completed(execution, step)).join(',')}]`],
    ['workflowState', state ? sourceOf(text, state) : '{}'],
  ];
}

function completed({ text }: Execution, { index, id, done, output }: DoneStep): string {
  if (done) return sourceOf(text, done);
  const name = quoteJson(id);
  return `{"stepId":${name},"stepName":${name},"stepIndex":${index},"output":${output},"status":"success"}`;
}

function stepDataAfter({ text, node, done, stepData }: Execution, until: readonly DoneStep[]): readonly Member[] {
  const input = node('input');
  return until.map(({ id, index, output }): Member => {
    const kept = stepData.get(id);
    if (kept) return [id, sourceOf(text, kept)];
    const given = done[index - 1]?.output ?? (input ? sourceOf(text, input) : 'null');
    return [id, `{"input":${given},"output":${output},"status":"success","error":null}`];
  });
}

function usageOf({ text, node }: Execution): readonly Member[] {
  return membersOf(text, node('metadata'), ['usage']);
}

function metadataAfter(execution: Execution, done: readonly DoneStep[]): string {
  const { text, node } = execution;
  const metadata = node('metadata');
  const kept = metadata?.kind === 'object' ? metadata.members.filter(({ key }) => !LATER_METADATA.has(key)) : [];
  const members = kept.map(({ key, value }): Member => [key, sourceOf(text, value)]);
  // Without a checkpoint the run starts with its input.
  return objectText(done.length === 0 ? members : [...members, [RESTART, restartAfter(execution, done)]]);
}

function restartAfter(execution: Execution, done: readonly DoneStep[]): string {
  const { text, node } = execution;
  return objectText([
    ['resumeStepIndex', String(done.length)],
    ['lastCompletedStepIndex', String(done.length - 1)],
    ...resultsAfter(execution, done),
    ['stepData', objectText(stepDataAfter(execution, done))],
    ...usageOf(execution),
    ['eventSequence', '0'],
    ...membersOf(text, node('metadata', RESTART), ['checkpointedAt']),
  ]);
}

/** VoltAgent keeps no question once it was answered. */
function suspensionAt(execution: Execution, done: readonly DoneStep[], next: DoneStep): string {
  const { text, events, node } = execution;
  const started = events.find(({ type, from }) => type === 'step-start' && from === next.id);
  const time = started?.node('startTime') ?? node('metadata', 'resumedAt');
  const input = done.at(-1)?.output ?? (node('input') ? membersOf(text, execution.root, ['input'])[0]?.[1] : undefined);
  const waiting: Member = [next.id, `{"input":${input ?? 'null'},"status":"running","error":null}`];
  return objectText([
    ...(time ? [['suspendedAt', sourceOf(text, time)] as const] : []),
    ['reason', '"Step suspended during execution"'],
    ['stepIndex', String(done.length)],
    ['lastEventSequence', '0'],
    [
      'checkpoint',
      objectText([
        ...resultsAfter(execution, done),
        ['stepData', objectText([...stepDataAfter(execution, done), waiting])],
        ...usageOf(execution),
      ]),
    ],
  ]);
}
