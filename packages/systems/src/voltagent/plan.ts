import {
  editWarnings,
  InspectorError,
  quoteJson,
  readEdit,
  setMember,
  type Plan,
  type PlanWarning,
  type RowCapabilities,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { Place } from '../run-row/contract.ts';
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
import { parseExecution } from './execution.ts';
import { columnsOf, storedColumns, type ExecutionTable } from './tables.ts';

const rulesOf = (table: ExecutionTable): RunPlanRules => ({
  table: table.name,
  key: ({ run }) => ({ id: run }),
  runKey: (run) => ({ id: run }),
  columns: ({ now }, _head, text) => ({ ...columnsOf(table, text), updated_at: now.toISOString() }),
  unchanged: ({ runs }, head) => storedColumns(runs.database, table, head) ?? {},
  copied: ({ now }, run) => ({
    id: run,
    ...(table.columns.has('created_at') ? { created_at: now.toISOString() } : {}),
  }),
  renamed: (text, _from, to) => setMember(text, [], 'id', quoteJson(to)),
  keeps: () => undefined,
  next: nextCall,
  warnings: goingBackWarnings,
});

/** What a request would do, by the rules of VoltAgent. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(table: ExecutionTable, context: PlanContext, request: SystemRequest): Promise<Plan> {
  const rules = rulesOf(table);
  if (request.kind === 'delete') return planDelete(context, request, rules);
  if (request.kind === 'restore' && (request.targetTask ?? request.ref.task) === request.ref.task)
    return planGoBack(context, request, rules);
  const edited = request.kind === 'edit' ? editOf(wantedPlace(context, request.ref), request.text) : undefined;
  return planCopy(context, request, rules, edited);
}

/** What one checkpoint refuses. */
export function capabilityOf(runs: Runs, place: Place): RowCapabilities {
  return place.isLatest || runs.latest(place.ref.task) === undefined ? {} : { delete: PART_OF_A_RUN };
}

/** @throws InspectorError invalid_input */
function editOf({ text: before }: { readonly text: string }, text: string): EditedRun {
  const root = readEdit(text, { strictFor: 'VoltAgent' });
  if (root.kind !== 'object')
    throw new InspectorError('invalid_input', "The state of an execution is a JSON object, and this one isn't.");
  return { text, warnings: editWarnings(before, text, ['id']) };
}

function nextCall(name: string, run: string, text: string): string {
  const { string } = parseExecution(text);
  const [workflow, id] = [quoteJson(string('workflowId') ?? name), quoteJson(run)];
  if (string('status') === 'suspended') return `await registry.resumeSuspendedWorkflow(${workflow}, ${id}, …)`;
  if (string('status') === 'running') return `await workflow.restart(${id})`;
  return `await workflow.timeTravel({ executionId: ${id}, stepId: … })`;
}

function goingBackWarnings({ isRow, step }: Place, text: string): PlanWarning[] {
  if (isRow) return [];
  const execution = parseExecution(text);
  const again = `The steps after step ${step.index} will run again, including any side effects.`;
  const events = 'VoltAgent begins a new list of events when it continues: earlier ones are gone then.';
  const question = "VoltAgent doesn't keep a question once it is answered: answer the step as before.";
  const shared = "The workflow's shared state is the one it ended with: VoltAgent keeps no older one.";
  return [
    { code: 'steps_run_again', message: again },
    ...(step.index > 0 ? [{ code: 'events_lost', message: events }] : []),
    ...(execution.string('status') === 'suspended' ? [{ code: 'question_lost', message: question }] : []),
    ...(execution.keys('workflowState').length > 0 ? [{ code: 'shared_state_kept', message: shared }] : []),
  ];
}
