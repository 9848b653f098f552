/** What an execution's row says of its run. */
import {
  InspectorError,
  sourceOf,
  stringOf,
  type CheckpointRef,
  type CheckpointStatus,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { defined, parsedOf, parseObject, type Parsed } from '../folder/document.ts';
import { idAt, type Run, type RunStep } from '../run-row/contract.ts';
import { valuesByKey } from '../run-row/json.ts';
import { isoOf } from '../run-row/time.ts';

export const RESTART = '__voltagent_restart_checkpoint';

/** A step that has ended. */
export interface DoneStep {
  readonly index: number;
  readonly id: string;
  /** As the row has it among the completed steps; absent where only an event tells of it. */
  readonly done?: JsonObject;
  /** JSON text. */
  readonly output: string;
}

export interface ExecutionEvent extends Parsed {
  readonly type: string;
  /** The step, or the workflow. */
  readonly from: string;
}

export interface Execution extends Parsed {
  /** In their order. */
  readonly done: readonly DoneStep[];
  readonly events: readonly ExecutionEvent[];
  /** What the checkpoint for a restart has of each step, by its id. */
  readonly stepData: ReadonlyMap<string, JsonNode>;
  /** The step that began and has not ended. */
  readonly open?: string;
}

const STATUSES: Readonly<Record<string, CheckpointStatus>> = {
  running: 'running',
  suspended: 'interrupted',
  completed: 'completed',
  error: 'failed',
};

/** @throws InspectorError unreadable */
export function parseExecution(text: string): Execution {
  const parsed = parseObject(text);
  if ('problem' in parsed)
    throw new InspectorError('unreadable', parsed.problem.message, { data: { offset: parsed.problem.offset } });
  const events = eventsIn(parsed);
  const done = doneIn(parsed, events);
  const started = events.findLast(({ type }) => type === 'step-start');
  const hasEnded = started && events.some((one) => one.type === 'step-complete' && one.from === started.from);
  const stepData = valuesByKey(parsed.node('metadata', RESTART, 'stepData'));
  return defined({ ...parsed, done, events, stepData, open: hasEnded ? undefined : started?.from });
}

function eventsIn({ text, node }: Parsed): readonly ExecutionEvent[] {
  const list = node('events');
  return (list?.kind === 'array' ? list.items : []).flatMap((item) => {
    if (item.kind !== 'object') return [];
    const event = parsedOf(text, item);
    return [{ ...event, type: event.string('type') ?? '', from: event.string('from') ?? '' }];
  });
}

/** After an answer the list of events begins again; the checkpoint for a restart has the steps before it too. */
function doneIn({ text, node }: Parsed, events: readonly ExecutionEvent[]): readonly DoneStep[] {
  const kept =
    node('metadata', RESTART, 'completedStepsData') ?? node('suspension', 'checkpoint', 'completedStepsData');
  const known = (kept?.kind === 'array' ? kept.items : []).flatMap((item, index): DoneStep[] => {
    if (item.kind !== 'object') return [];
    const step = parsedOf(text, item);
    const [id, output] = [step.node('stepId'), step.node('output')];
    return id ? [{ index, id: stringOf(text, id), done: item, output: output ? sourceOf(text, output) : 'null' }] : [];
  });
  const ids = new Set(known.map(({ id }) => id));
  // With a longer interval of checkpoints, or none, the newest steps are told by events alone.
  const later = events.filter(({ type, from }) => type === 'step-complete' && !ids.has(from));
  const told = later.map(({ from, node: at }, place): DoneStep => {
    const output = at('output');
    return { index: known.length + place, id: from, output: output ? sourceOf(text, output) : 'null' };
  });
  return [...known, ...told];
}

export function runOf(execution: Execution): Run {
  const { done, string } = execution;
  const stored = string('status');
  const status = stored !== undefined && Object.hasOwn(STATUSES, stored) ? STATUSES[stored] : undefined;
  const times = new Map(execution.events.map((one) => [`${one.type} ${one.from}`, isoOf(one.string('endTime'))]));
  const hasStopped = stored === 'error' || stored === 'cancelled';
  const steps: RunStep[] = [
    { index: 0, description: 'input', sizeBytes: sizeOf(execution, 'input') },
    ...done.map((step) => stepOf(times, step)),
  ];
  const last = steps.at(-1);
  const open = execution.open ?? 'the next step';
  if (hasStopped) steps.push({ index: done.length + 1, description: `${open} (${stored})`, sizeBytes: 0 });
  else if (last && stored !== 'completed')
    steps[steps.length - 1] = { ...last, description: `${last.description}, then ${open} (${stored})` };
  return defined({
    steps,
    status: status ?? 'unknown',
    error: errorIn(execution),
    labels: status === undefined && stored !== undefined ? [`status ${stored}`] : [],
    parent: replayedFrom(execution),
  });
}

const sizeOf = ({ node }: Parsed, key: string): number => {
  const value = node(key);
  return value ? value.end - value.start : 0;
};

function stepOf(times: ReadonlyMap<string, string | undefined>, { index, id, output }: DoneStep): RunStep {
  const [started, endedAt] = [times.get(`step-start ${id}`), times.get(`step-complete ${id}`)];
  const took = started && endedAt ? Date.parse(endedAt) - Date.parse(started) : Number.NaN;
  return defined({
    index: index + 1,
    description: id,
    endedAt,
    durationMs: took >= 0 ? took : undefined,
    sizeBytes: Buffer.byteLength(output),
  });
}

/** A replay keeps the message of the failure it was taken up from. */
export function errorIn({ string }: Parsed): string | undefined {
  return string('status') === 'error' ? (string('metadata', 'errorMessage') ?? string('metadata', 'error')) : undefined;
}

/** A time travel makes a new execution, which names the one it came from and the step that it began with. */
function replayedFrom({ string, done, open }: Execution): CheckpointRef | undefined {
  const task = string('metadata', 'replayedFromExecutionId');
  const step = string('metadata', 'replayFromStepId');
  if (task === undefined) return undefined;
  const index = done.findIndex(({ id }) => id === step);
  return { task, id: idAt(task, index === -1 && step === open ? done.length : Math.max(0, index)) };
}
