/** What a snapshot says of its run. Nothing is revived: values are read where they are in the text. */
import {
  InspectorError,
  memberOf,
  stringOf,
  type CheckpointStatus,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { defined, parsedOf, parseObject, type Parsed } from '../folder/document.ts';
import type { Run, RunStep } from '../run-row/contract.ts';
import { valuesByKey } from '../run-row/json.ts';

export interface EntryStep {
  readonly id: string;
  /** Where it is in the workflow: `[2]`, in a parallel block `[2, 0]`. */
  readonly path: readonly number[];
  /** The workflow, where the step is one. */
  readonly workflow?: string;
}

/** One entry of a workflow: a step, or several side by side. */
export interface Entry {
  readonly index: number;
  /** `step`, `workflow`, `parallel`, `conditional`, `loop`, `foreach`, `mapping`, …; absent where the row has no graph. */
  readonly kind?: string;
  readonly steps: readonly EntryStep[];
  /** Workflows that are nested in it, at any depth. */
  readonly workflows: readonly string[];
}

export interface Snapshot extends Parsed {
  readonly entries: readonly Entry[];
  /** What the row has of a step, by its id. */
  readonly result: (id: string) => Parsed | undefined;
  /** Ids of the steps that Mastra has noted as executed. */
  readonly executed: ReadonlySet<string>;
}

const STATUSES: Readonly<Record<string, CheckpointStatus>> = {
  success: 'completed',
  failed: 'failed',
  tripwire: 'failed',
  suspended: 'interrupted',
  paused: 'interrupted',
  running: 'running',
  waiting: 'running',
  pending: 'pending',
};

const ENDED: ReadonlySet<string | undefined> = new Set(['success', 'failed', 'skipped', 'canceled', 'tripwire']);

/** @throws InspectorError unreadable */
export function parseSnapshot(text: string): Snapshot {
  const parsed = parseObject(text);
  if ('problem' in parsed)
    throw new InspectorError('unreadable', parsed.problem.message, { data: { offset: parsed.problem.offset } });
  const context = valuesByKey(parsed.node('context'));
  const result = (id: string): Parsed | undefined => {
    const node = context.get(id);
    if (node?.kind === 'object') return parsedOf(text, node);
    // Older versions keep each item of a foreach.
    const last = node?.kind === 'array' ? node.items.at(-1) : undefined;
    return last?.kind === 'object' ? parsedOf(text, last) : undefined;
  };
  const graph = parsed.node('serializedStepGraph');
  const entries =
    graph?.kind === 'array'
      ? graph.items.flatMap((item, at) => (item.kind === 'object' ? entryOf(text, item, at) : []))
      : parsed
          .keys('context')
          .filter((key) => key !== 'input')
          .map(loneStep);
  return { ...parsed, entries, result, executed: new Set(stringsIn(text, parsed.node('stepExecutionPath'))) };
}

function stringsIn(text: string, node: JsonNode | undefined): string[] {
  if (node?.kind !== 'array') return [];
  return node.items.flatMap((item) => (item.kind === 'string' ? [stringOf(text, item)] : []));
}

const loneStep = (id: string, index: number): Entry => ({ index, steps: [{ id, path: [index] }], workflows: [] });

function entryOf(text: string, node: JsonObject, index: number): Entry {
  const { string } = parsedOf(text, node);
  return defined({
    index,
    kind: string('type'),
    steps: stepsIn(text, node, [index]),
    workflows: workflowsIn(text, node),
  });
}

function stepsIn(text: string, node: JsonObject, path: readonly number[]): readonly EntryStep[] {
  const branches = memberOf(node, 'steps')?.value;
  if (branches?.kind === 'array')
    return branches.items.flatMap((item, at) => (item.kind === 'object' ? stepsIn(text, item, [...path, at]) : []));
  const inner = memberOf(node, 'step')?.value;
  if (inner?.kind === 'object') return stepsIn(text, inner, path);
  const { string, node: at } = parsedOf(text, node);
  const id = string('id');
  if (id === undefined) return [];
  const isWorkflow = at('serializedStepFlow') !== undefined;
  return [defined({ id, path, workflow: isWorkflow ? (string('workflowId') ?? id) : undefined })];
}

function workflowsIn(text: string, node: JsonNode): string[] {
  if (node.kind === 'array') return node.items.flatMap((item) => workflowsIn(text, item));
  if (node.kind !== 'object') return [];
  const { string, node: at } = parsedOf(text, node);
  const name = at('serializedStepFlow') && (string('workflowId') ?? string('id'));
  const inside = ['steps', 'step', 'serializedStepFlow'].flatMap((key) => {
    const value = memberOf(node, key)?.value;
    return value ? workflowsIn(text, value) : [];
  });
  return name === undefined ? inside : [name, ...inside];
}

/** `undefined`: nothing of the entry is in the row. */
export function hasEnded({ result }: Snapshot, { steps }: Entry): boolean | undefined {
  const seen = steps.flatMap(({ id }) => result(id) ?? []);
  return seen.length === 0 ? undefined : seen.every(({ string }) => ENDED.has(string('status')));
}

/** How many entries have ended before the first that has not. */
export function endedCount(snapshot: Snapshot): number {
  let count = 0;
  for (const entry of snapshot.entries) {
    const ended = hasEnded(snapshot, entry);
    if (ended === false) break;
    if (ended) count = entry.index + 1;
  }
  return count;
}

/** The steps of an entry that the row has, in the words of the list. */
function namesOf({ result }: Snapshot, { steps }: Entry): string {
  return steps
    .flatMap(({ id }) => {
      const step = result(id);
      const iterations = step?.number('metadata', 'iterationCount');
      return step ? [iterations === undefined ? id : `${id} (${iterations} iterations)`] : [];
    })
    .join(' + ');
}

export function runOf(snapshot: Snapshot): Run {
  const { entries, string } = snapshot;
  const count = endedCount(snapshot);
  const input = snapshot.node('context', 'input');
  const ended = entries.filter((entry) => entry.index < count && hasEnded(snapshot, entry) === true);
  const steps: RunStep[] = [
    { index: 0, description: 'input', sizeBytes: input ? input.end - input.start : 0 },
    ...ended.map((entry) => stepOf(snapshot, entry)),
  ];
  const open = entries.find((entry) => entry.index >= count && hasEnded(snapshot, entry) === false);
  const last = steps.at(-1);
  const stored = string('status');
  const status = stored !== undefined && Object.hasOwn(STATUSES, stored) ? STATUSES[stored] : undefined;
  return defined({
    steps:
      open && last
        ? [...steps.slice(0, -1), { ...last, description: `${last.description}, then ${openWords(snapshot, open)}` }]
        : steps,
    totalSteps: entries.length || undefined,
    status: status ?? 'unknown',
    error: errorIn(snapshot),
    labels: status === undefined && stored !== undefined ? [`status ${stored}`] : [],
  });
}

function openWords(snapshot: Snapshot, { steps }: Entry): string {
  return steps
    .flatMap(({ id }) => {
      const status = snapshot.result(id)?.string('status');
      return status === undefined || ENDED.has(status) ? [] : [`${id} (${status})`];
    })
    .join(' + ');
}

function stepOf(snapshot: Snapshot, entry: Entry): RunStep {
  const own = entry.steps.flatMap(({ id }) => snapshot.result(id) ?? []);
  const numbers = (key: string) => own.flatMap(({ number }) => number(key) ?? []);
  const [started, ended] = [Math.min(...numbers('startedAt')), Math.max(...numbers('endedAt'))];
  return defined({
    index: entry.index + 1,
    description: namesOf(snapshot, entry),
    endedAt: isoOfMs(ended),
    durationMs: ended >= started ? ended - started : undefined,
    sizeBytes: own.reduce((sum, { root }) => sum + root.end - root.start, 0),
  });
}

/** ISO 8601 UTC; `undefined` for what isn't a time. */
function isoOfMs(ms: number): string | undefined {
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** In Mastra's words: of the run, else of the step that failed. */
export function errorIn(snapshot: Snapshot): string | undefined {
  if (snapshot.string('status') !== 'failed') return undefined;
  const own = snapshot.string('error', 'message') ?? snapshot.string('error');
  if (own !== undefined) return own;
  const failed = snapshot.entries.flatMap(({ steps }) => steps).map(({ id }) => snapshot.result(id));
  return failed
    .filter((step) => step?.string('status') === 'failed')
    .map((step) => step?.string('error', 'message') ?? step?.string('error'))
    .find((message) => message !== undefined);
}
