/** What a row held after some of its steps, built from the row as it is now, value by value as written. */
import { memberOf, quoteJson, sourceOf, type JsonObject } from '@checkpoint-inspector/core';
import { membersOf, objectText, type Member } from '../run-row/json.ts';
import { hasEnded, type Entry, type EntryStep, type Snapshot } from './snapshot.ts';

/** Of what the run ended with. */
const LATER: ReadonlySet<string> = new Set(['result', 'error', 'tripwire']);

/**
 * The row as Mastra continues with it after `index` entries: the next step runs, or waits for its answer where it had one.
 * @example stateAfter(parseSnapshot('{"status":"success",…}'), 1) // {"status":"suspended","context":{"input":…,"draft":…,"approve":…},…}
 */
export function stateAfter(snapshot: Snapshot, index: number): string {
  const next = snapshot.entries.find((entry) => entry.index >= index && hasEnded(snapshot, entry) !== undefined);
  const waiting = next ? answered(snapshot, next) : [];
  const isWaiting = waiting.length > 0;
  const paths = (steps: readonly EntryStep[]) => objectText(steps.map(({ id, path }) => [id, JSON.stringify(path)]));
  const set: Readonly<Record<string, string>> = {
    status: isWaiting ? '"suspended"' : '"running"',
    context: contextAfter(snapshot, index, next, waiting),
    activePaths: JSON.stringify(next ? [next.index] : []),
    activeStepsPath: isWaiting || !next ? '{}' : paths(started(snapshot, next)),
    suspendedPaths: paths(waiting),
    stepExecutionPath: JSON.stringify(executed(snapshot, index, next)),
    resumeLabels: '{}',
    waitingPaths: '{}',
  };
  const kept = snapshot.root.members.filter(({ key, duplicate }) => !LATER.has(key) && duplicate === undefined);
  const members = kept.map(({ key }): Member => [key, set[key] ?? valueOf(snapshot, key)]);
  const missing = Object.entries(set).filter(([key]) => !kept.some((member) => member.key === key));
  return objectText([...members, ...missing]);
}

function valueOf({ text, root }: Snapshot, key: string): string {
  const member = memberOf(root, key);
  return member ? sourceOf(text, member.value) : 'null';
}

/** The steps that had an answer from a person. Only of plain steps is it known how Mastra waits for one. */
function answered({ result, text }: Snapshot, { kind, steps }: Entry): readonly EntryStep[] {
  if (!['step', 'parallel', 'conditional'].includes(kind ?? '')) return [];
  const isAnswered = ({ id }: EntryStep): boolean => {
    const node = result(id)?.node('resumePayload');
    return node !== undefined && sourceOf(text, node) !== 'null';
  };
  return steps.filter((step) => step.workflow === undefined && isAnswered(step));
}

/** A nested workflow that is named here would be restarted from its own row; others start from the beginning. */
function started({ result }: Snapshot, { steps }: Entry): readonly EntryStep[] {
  return steps.filter(({ id, workflow }) => workflow === undefined && result(id) !== undefined);
}

function contextAfter(
  snapshot: Snapshot,
  index: number,
  next: Entry | undefined,
  waiting: readonly EntryStep[],
): string {
  const { text, entries } = snapshot;
  const context = snapshot.node('context');
  const later = new Set(entries.flatMap((entry) => (entry.index < index ? [] : entry.steps.map(({ id }) => id))));
  const done = context?.kind === 'object' ? context.members.filter(({ key }) => !later.has(key)) : [];
  const open = (next?.steps ?? []).flatMap((step): Member[] => {
    const root = snapshot.result(step.id)?.root;
    if (!root) return [];
    if (waiting.includes(step)) return [[step.id, opened(text, root, 'suspended')]];
    // Beside a step that waits, the others have ended.
    return [[step.id, waiting.length > 0 ? sourceOf(text, root) : opened(text, root, 'running', next?.kind)]];
  });
  return objectText([...done.map(({ key, value }): Member => [key, sourceOf(text, value)]), ...open]);
}

/** A step before its end. What a loop was last given isn't what it began with. */
function opened(text: string, step: JsonObject, status: 'running' | 'suspended', kind?: string): string {
  const keep = ['payload', 'startedAt', ...(status === 'suspended' ? ['suspendPayload', 'suspendedAt'] : [])].filter(
    (key) => kind !== 'loop' || key !== 'payload',
  );
  return objectText([...membersOf(text, step, keep), ['status', quoteJson(status)]]);
}

/** Mastra notes the steps that are entries of their own. */
function executed(snapshot: Snapshot, index: number, next: Entry | undefined): readonly string[] {
  return snapshot.entries
    .filter((entry) => entry.index < index || entry === next)
    .flatMap(({ steps }) => steps.flatMap(({ id }) => (snapshot.executed.has(id) ? [id] : [])));
}
