import type { SqlRow } from '@checkpoint-inspector/io';
import {
  InspectorError,
  planList,
  sha256Hex,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanItem,
  editWarnings,
  editWords,
  parseJson,
  readEdit,
  sourceOf,
  valueAt,
} from '@checkpoint-inspector/core';
import { newCheckpointId, archiveName, evictedByNextSave, greatestStep } from './rules.ts';
import {
  addAside,
  evictions,
  evictionWarning,
  noPlanWarnings,
  refuseArchive,
  runAgainWarnings,
  setAside,
  withStep,
} from './plan-aside.ts';
import { planCopy } from './plan-copy.ts';
import {
  activeWarning,
  hashOf,
  headRefs,
  headStays,
  jobInSession,
  planFrame,
  resumeCall,
  wantedRow,
  wantedText,
  type PlanContext,
  type Edited,
  type Wanted,
} from './plan-parts.ts';
import type { Row } from './rows.ts';

/**
 * The edited state as a new row that resumes, by the rules of the restore: with a plan it stands at its own step and
 * what outranks it is set aside, without one it stands above all others.
 */
export async function planEdit(context: PlanContext, request: EditRequest): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  const { targetTask } = request;
  const isNew = targetTask !== undefined && targetTask !== wanted.ref.task;
  const edited = editedState(request, await wantedText(context, wanted), isNew ? [] : ['currentStepIndex']);
  if (isNew) return planCopy(context, request, edited);
  refuseArchive(wanted.ref.task);
  return edited.steps > 0 ? planAtStep(context, request, wanted, edited) : planOnTop(context, request, wanted, edited);
}

async function planAtStep(context: PlanContext, request: EditRequest, wanted: Wanted, edited: Edited): Promise<Plan> {
  const { ref, row, look } = wanted;
  const { table } = context.project;
  const step = stepOf(edited.text);
  const aside = look.session.rows.slice(0, firstBelow(look.session.rows, step));
  const isMoved = aside.includes(row);
  if (isMoved && table.boundSession) {
    throw new InspectorError(
      'unsupported',
      `Below step ${row.step} the original would outrank the edit, and here it cannot be set aside.`,
    );
  }
  const archive = archiveName(ref.task, context.now, (name) => context.project.session(name) !== undefined);
  const rest = look.session.rows.slice(aside.length);
  const set = { ...edited.set, created_at: newestAt(rest, step, context.now) };
  const parts = await savedParts(context, wanted, { edited, text: edited.text, set });
  const moved = isMoved
    ? [{ code: 'original_moved', message: `The edit starts at step ${step}, so the original is set aside too.` }]
    : [];
  return {
    view: {
      ...planFrame(context, request, ref.task, look.latest),
      ...parts.plan,
      ...(aside.length > 0 ? setAside(table, aside, archive) : {}),
      evicts: planList(evictions(evictedByNextSave([{ ...parts.row, step }, ...rest]))),
      protected: planList<PlanItem>(isMoved ? [] : [{ ref, reason: 'stays as it is' }]),
      warnings: [
        ...edited.warnings,
        ...moved,
        ...(aside.length > 0 ? runAgainWarnings(step, edited.steps, aside) : []),
        ...evictionWarning([{ ...parts.row, step }, ...rest]),
        ...activeWarning(context, look),
      ],
      sidecar: [{ child: parts.ref, parent: isMoved ? { task: archive, id: ref.id } : ref }],
    },
    job: addAside(parts.job, table, aside, archive),
  };
}

async function planOnTop(context: PlanContext, request: EditRequest, wanted: Wanted, edited: Edited): Promise<Plan> {
  const { ref, look } = wanted;
  const greatest = greatestStep(look.session.rows);
  if (greatest === undefined) {
    throw new InspectorError(
      'unsupported',
      'A row of this session has a step that is no whole number: it outranks any edit.',
    );
  }
  const step = greatest + 1;
  const text = withStep(edited.text, step);
  const set = { ...edited.set, step_number: step, state_json: text, created_at: context.now.toISOString() };
  const parts = await savedParts(context, wanted, { edited, text, set });
  const rows = [{ ...parts.row, step }, ...look.session.rows];
  return {
    view: {
      ...planFrame(context, request, ref.task, look.latest),
      ...parts.plan,
      evicts: planList(evictions(evictedByNextSave(rows))),
      protected: planList(headRefs(look).map((head): PlanItem => ({ ref: head, reason: 'stays below the edit' }))),
      warnings: [
        ...edited.warnings,
        ...noPlanWarnings(look),
        ...evictionWarning(rows),
        ...activeWarning(context, look),
      ],
      sidecar: [{ child: parts.ref, parent: ref }],
    },
    job: parts.job,
  };
}

interface Saved {
  readonly edited: Edited;
  /** As it will stand in the row. */
  readonly text: string;
  readonly set: SqlRow;
}

/** What both ways share: one row, copied from the original with other columns. */
async function savedParts(context: PlanContext, wanted: Wanted, { edited, text, set }: Saved) {
  const { row } = wanted;
  const { name } = context.project.table;
  const ref: CheckpointRef = { task: wanted.ref.task, id: newCheckpointId() };
  const sizeBytes = Buffer.byteLength(text);
  const reason = `edit of ${row.id}, placed so that it is what resumes`;
  return {
    ref,
    row: { ...row, id: ref.id, sizeBytes, rowid: -1n },
    plan: {
      preconditions: [...headStays(wanted), await hashOf(context, wanted), { kind: 'absent', ref } as const],
      writes: planList<PlanItem>([{ ref, reason, sizeBytes, where: `one row of ${name}` }]),
      latestAfter: ref,
      proofHash: await sha256Hex(text),
      next: resumeCall(ref.task, edited.steps > 0),
    },
    job: jobInSession(context, wanted)
      .expectAbsent(name, { id: ref.id })
      .copy(name, { id: row.id }, { ...set, id: ref.id }),
  };
}

/** Rows before this one, in resume order, outrank whatever is saved at the step now. */
function firstBelow(rows: readonly Row[], step: number): number {
  const at = rows.findIndex((row) => row.step !== undefined && row.step <= step);
  return at === -1 ? rows.length : at;
}

/** Now, or just after the newest of the same step: times are compared as texts. @throws InspectorError unsupported */
function newestAt(rows: readonly Row[], step: number, now: Date): string {
  const same = rows.filter((row) => row.step === step);
  const newest = same.reduce((most, { createdAtText = '' }) => (createdAtText > most ? createdAtText : most), '');
  const clock = now.toISOString();
  if (newest < clock) return clock;
  const time = same.find(({ createdAtText }) => createdAtText === newest)?.createdAt;
  const next = time === undefined ? '' : new Date(Date.parse(time) + 1).toISOString();
  if (next > newest) return next;
  throw new InspectorError(
    'unsupported',
    `The time "${newest}" of step ${step} sorts after every time: it stays ahead.`,
  );
}

/**
 * @param setBySave members that the save replaces in a state without a plan
 * @throws InspectorError invalid_input (no JSON, no object, a plan without a step) | too_large
 */
export function editedState(request: EditRequest, original: string, setBySave: readonly string[]): Edited {
  const { text } = request;
  const root = readEdit(text, { strictFor: 'ctx-sys' });
  if (root.kind !== 'object') {
    throw new InspectorError('invalid_input', `A state of ctx-sys is a JSON object, and the text holds ${root.kind}.`);
  }
  const plan = valueAt(text, root, ['plan']);
  const steps = plan?.kind === 'array' ? plan.items.length : 0;
  const columns = {
    state_json: text,
    trigger_type: 'manual',
    description: editWords(request),
    // What the original's step took is not taken twice.
    duration_ms: null,
    token_usage: null,
  };
  const set = steps > 0 ? { ...columns, step_number: stepOf(text) } : columns;
  return { text, steps, set, warnings: editWarnings(original, text, steps > 0 ? [] : setBySave) };
}

/** The executor saves a state under its own `currentStepIndex`. @throws InspectorError invalid_input */
export function stepOf(text: string): number {
  const node = valueAt(text, parseJson(text), ['currentStepIndex']);
  const step = node?.kind === 'number' ? Number(sourceOf(text, node)) : Number.NaN;
  if (Number.isSafeInteger(step) && step >= 0) return step;
  throw new InspectorError(
    'invalid_input',
    'currentStepIndex has to be a whole number from 0: a state with a plan is saved under it.',
    { data: { path: '$.currentStepIndex' } },
  );
}
