import {
  editWarnings,
  equalNodes,
  InspectorError,
  patchJson,
  parseJson,
  quoteJson,
  readEdit,
  type JsonEdit,
  type JsonNode,
  type Path,
  type Plan,
  type PlanWarning,
  type RowCapabilities,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { Place, RunHead } from '../run-row/contract.ts';
import {
  PART_OF_A_RUN,
  planCopy,
  planDelete,
  planGoBack,
  wantedPlace,
  type EditedRun,
  type PlanContext,
  type RunPlanRules,
} from '../run-row/plan.ts';
import type { Runs } from '../run-row/runs.ts';
import { hasEnded, parseSnapshot, type Entry } from './snapshot.ts';
import { SNAPSHOTS, storedSnapshot } from './tables.ts';

/** The loops of Mastra's own agents: their rows are deleted when the agent has finished. */
const AGENT_LOOPS: ReadonlySet<string> = new Set(['agentic-loop', 'executionWorkflow']);
const OF_AN_AGENT = "These rows belong to an agent's run, which its thread names: answer the agent instead.";
const NESTED = "This run is nested in another, and goes back with it: choose a checkpoint of the task's own workflow.";

const rules: RunPlanRules = {
  table: SNAPSHOTS,
  key: ({ name, run }) => ({ workflow_name: name, run_id: run }),
  runKey: (run) => ({ run_id: run }),
  columns: ({ runs, now }, head, text) => ({
    snapshot: storedSnapshot(runs.database, head, text) ?? null,
    updatedAt: now.toISOString(),
  }),
  unchanged: ({ runs }, head) => unchangedColumns(runs.database, head),
  copied: ({ now }, run) => ({ run_id: run, createdAt: now.toISOString() }),
  renamed,
  keeps: ({ runs }, place, nested) => keeps(runs, place, nested),
  next: nextCall,
  warnings: goingBackWarnings,
};

/** What a request would do, by the rules of Mastra. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  if (request.kind === 'delete') return planDelete(context, request, rules);
  const place = wantedPlace(context, request.ref);
  const refused = capabilityOf(context.runs, place)[request.kind];
  if (refused !== undefined) throw new InspectorError('unsupported', refused, { data: { ...request.ref } });
  if (request.kind === 'restore' && (request.targetTask ?? place.ref.task) === place.ref.task)
    return planGoBack(context, request, rules);
  return planCopy(context, request, rules, request.kind === 'edit' ? editOf(place, request.text) : undefined);
}

/** What one checkpoint refuses. */
export function capabilityOf(runs: Runs, place: Place): RowCapabilities {
  const part = place.isLatest || runs.latest(place.ref.task) === undefined ? {} : { delete: PART_OF_A_RUN };
  const all = (reason: string): RowCapabilities => ({ restore: reason, fork: reason, edit: reason, ...part });
  if (place.problem) return part;
  if (AGENT_LOOPS.has(place.head.name)) return all(OF_AN_AGENT);
  if (isNested(runs, place)) return all(NESTED);
  const reason = place.isRow ? undefined : besideNested(runs, place);
  return reason === undefined ? part : all(reason);
}

function isNested(runs: Runs, { ref, head }: Place): boolean {
  const rows = runs.places(ref.task).filter((one) => one.isRow && one.head !== head && !one.problem);
  return rows.some((row) => keeps(runs, row, head) !== undefined);
}

/** A workflow beside other steps would be restarted from a row that is overwritten. */
function besideNested(runs: Runs, place: Place): string | undefined {
  const snapshot = parseSnapshot(runs.rules.text(runs.database, place.head) ?? '');
  const next = snapshot.entries.find(({ index }) => index >= place.step.index);
  const isBeside = next !== undefined && next.steps.length > 1 && next.workflows.length > 0;
  return isBeside ? 'The next step has workflows side by side, which Mastra can only start together.' : undefined;
}

function keeps(runs: Runs, place: Place, nested: RunHead): boolean | undefined {
  const { entries } = parseSnapshot(runs.rules.text(runs.database, place.head) ?? '');
  const entry = entries.find(({ workflows }) => workflows.includes(nested.name));
  return entry && (place.isRow || entry.index < place.step.index);
}

function unchangedColumns(database: SqliteDatabase, head: RunHead) {
  try {
    return { snapshot: storedSnapshot(database, head) ?? null };
  } catch {
    // Text that can't be decoded: the precondition compares its bytes.
    return {};
  }
}

/** Only where Mastra looks for the run's own id: text that merely contains it stays. */
function renamed(text: string, from: string, to: string): string {
  const root = parseJson(text);
  const edits = [...idsIn(root, [])].filter(({ node }) =>
    equalNodes(text, node, quoteJson(from), parseJson(quoteJson(from))),
  );
  return patchJson(
    text,
    edits.map(({ path }): JsonEdit => ({ path, text: quoteJson(to) })),
  );
}

function* idsIn(node: JsonNode, path: Path): Generator<{ readonly path: Path; readonly node: JsonNode }> {
  const children =
    node.kind === 'object'
      ? node.members.flatMap(({ key, value, duplicate }) => (duplicate ? [] : [[key, value] as const]))
      : node.kind === 'array'
        ? node.items.map((item, at) => [at, item] as const)
        : [];
  for (const [step, child] of children) {
    const isOwn = step === 'runId' && (path.length === 0 || path.at(-1) === '__workflow_meta');
    if (isOwn) yield { path: [...path, step], node: child };
    else yield* idsIn(child, [...path, step]);
  }
}

/** @throws InspectorError invalid_input */
function editOf({ text: before, isRow, head }: Place & { readonly text: string }, text: string): EditedRun {
  readEdit(text, { strictFor: 'Mastra' });
  const warnings = [...editWarnings(before, text, ['runId'])];
  const changed = isRow ? nextAfterChange(before, text) : undefined;
  if (changed === undefined) return { text, warnings };
  const step = quoteJson(changed);
  return { text, warnings, next: (run) => `${runCall(head.name, run)} await run.timeTravel({ step: ${step} })` };
}

/** The step that comes after the first one whose result an edit changes. */
function nextAfterChange(before: string, after: string): string | undefined {
  const [was, is] = [parseSnapshot(before), parseSnapshot(after)];
  const isChanged = (id: string): boolean => {
    const [old, own] = [was.result(id)?.root, is.result(id)?.root];
    return old && own ? !equalNodes(before, old, after, own) : old !== own;
  };
  const at = is.entries.findIndex(({ steps }) => steps.some(({ id }) => isChanged(id)));
  return at === -1 ? undefined : is.entries[at + 1]?.steps[0]?.id;
}

const runCall = (name: string, run: string): string =>
  `const run = await mastra.getWorkflowById(${quoteJson(name)}).createRun({ runId: ${quoteJson(run)} });`;

function nextCall(name: string, run: string, text: string): string {
  const snapshot = parseSnapshot(text);
  const status = snapshot.string('status');
  const waiting = snapshot.keys('suspendedPaths').map((id) => resumeStep(snapshot.result(id)?.node, id, snapshot.text));
  if (status === 'suspended')
    return `${runCall(name, run)} ${waiting.map((step) => `await run.resume({ step: ${step}, resumeData: … })`).join('; ')}`;
  if (status === 'running' || status === 'waiting') return `${runCall(name, run)} await run.restart()`;
  return `${runCall(name, run)} await run.timeTravel({ step: … })`;
}

/** A step in a nested workflow is named by the way to it; a text is taken apart at its dots. */
function resumeStep(at: ((...path: Path) => JsonNode | undefined) | undefined, id: string, text: string): string {
  const path = at?.('suspendPayload', '__workflow_meta', 'path');
  const inner = path?.kind === 'array' ? path.items.map((item) => text.slice(item.start, item.end)) : [];
  return inner.length === 0 && !id.includes('.') ? quoteJson(id) : `[${[quoteJson(id), ...inner].join(', ')}]`;
}

function goingBackWarnings({ isRow, step }: Place, text: string): PlanWarning[] {
  if (isRow) return [];
  const snapshot = parseSnapshot(text);
  const next = snapshot.entries.find((entry) => entry.index >= step.index && hasEnded(snapshot, entry) !== undefined);
  return next
    ? [againWarning(snapshot.entries, next), ...lostWarnings(snapshot.string('status'), snapshot.keys('value'))]
    : [];
}

function againWarning(entries: readonly Entry[], next: Entry): PlanWarning {
  const names = next.steps.map(({ id }) => id).join(', ');
  const after = next.index < entries.length - 1 ? ' and the steps after it' : '';
  return { code: 'steps_run_again', message: `${names}${after} will run again, including any side effects.` };
}

function lostWarnings(status: string | undefined, state: readonly string[]): PlanWarning[] {
  const question = "Mastra doesn't keep a question once it is answered: answer the step by its name.";
  const shared = "The workflow's shared state is the one it ended with: Mastra keeps no older one.";
  return [
    ...(status === 'suspended' ? [{ code: 'question_lost', message: question }] : []),
    ...(state.length > 0 ? [{ code: 'shared_state_kept', message: shared }] : []),
  ];
}
