/** What makes a session resume from a checkpoint of it, or from an edited one. */
import {
  editWarnings,
  editWords,
  InspectorError,
  parseJson,
  planList,
  readEdit,
  sha256Hex,
  sourceOf,
  valueAt,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { SqlRow } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
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
  resumeCall,
  wantedRow,
  wantedText,
  type Edited,
  type PlanContext,
  type Wanted,
} from './plan-parts.ts';
import type { Row } from './rows.ts';
import { archiveName, evictedByNextSave, greatestStep, newCheckpointId, outranking } from './rules.ts';

type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;

/**
 * Two writers, two ways. A state with a plan is resumed by the executor, whose next saves have lower steps than a copy
 * on top would: so the rows that take precedence over it are moved aside. A state without one comes from the MCP tool, which saves at
 * the greatest step + 1: so does the copy.
 */
export async function planRestore(context: PlanContext, request: RestoreRequest): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  refuseArchive(wanted.ref.task);
  const text = await wantedText(context, wanted);
  if (wanted.seen.facts.steps > 0) return planSetAside(context, request, wanted, text);
  const copy = { text, steps: 0, set: {}, warnings: toolWarnings(wanted) };
  return planOnTop(context, request, wanted, copy);
}

/** By the rules of the restore: with a plan at the state's own step, without one above all others. */
export async function planEdit(context: PlanContext, request: EditRequest): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  const { targetTask } = request;
  const isNew = targetTask !== undefined && targetTask !== wanted.ref.task;
  const edited = editedState(request, await wantedText(context, wanted), isNew ? [] : ['currentStepIndex']);
  if (isNew) return planCopy(context, request, edited);
  refuseArchive(wanted.ref.task);
  if (edited.steps > 0) return planAtStep(context, request, wanted, edited);
  const warnings = [...edited.warnings, ...noPlanWarnings(wanted.look)];
  return planOnTop(context, request, wanted, { ...edited, warnings });
}

async function planSetAside(
  context: PlanContext,
  request: RestoreRequest,
  wanted: Wanted,
  text: string,
): Promise<Plan> {
  const { ref, row, look } = wanted;
  const { table } = context.project;
  const aside = outranking(look.session.rows, row);
  if (aside.length === 0) {
    throw new InspectorError('unsupported', `${ref.id} is already the latest: a resumed run starts from it.`, {
      remedy: 'There is nothing to restore. To try something else alongside it, copy it into a new session.',
    });
  }
  const archive = archiveOf(context, ref.task);
  const rest = look.session.rows.slice(aside.length);
  return {
    view: {
      ...frame(context, request, ref.task, look.latest),
      preconditions: [...headStays(wanted), await hashOf(context, wanted)],
      ...setAside(table, aside, archive),
      evicts: planList(evictions(evictedByNextSave(rest))),
      protected: planList<PlanItem>([{ ref, reason: 'unchanged, becomes the latest' }]),
      warnings: [
        ...runAgainWarnings(row.step ?? 0, wanted.seen.facts.steps, aside),
        ...evictionWarning(rest),
        ...activeWarning(context, look),
      ],
      latestAfter: ref,
      proofHash: await sha256Hex(text),
      next: resumeCall(ref.task, true),
    },
    job: addAside(jobInSession(context, wanted), table, aside, archive),
  };
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
      `Below step ${row.step} the original would be chosen over the edit, and it can't be moved aside here.`,
    );
  }
  const archive = archiveOf(context, ref.task);
  const rest = look.session.rows.slice(aside.length);
  const set = { ...edited.set, created_at: newestAt(rest, step, context.now) };
  const reason = editReason(wanted);
  const parts = await savedParts(context, wanted, { steps: edited.steps, text: edited.text, set, reason });
  const rows = [{ ...parts.row, step }, ...rest];
  const moved = isMoved
    ? [{ code: 'original_moved', message: `The edit starts at step ${step}, so the original is moved aside too.` }]
    : [];
  return {
    view: {
      ...frame(context, request, ref.task, look.latest),
      ...parts.plan,
      ...(aside.length > 0 ? setAside(table, aside, archive) : {}),
      evicts: planList(evictions(evictedByNextSave(rows))),
      protected: planList<PlanItem>(isMoved ? [] : [{ ref, reason: 'unchanged' }]),
      warnings: [
        ...edited.warnings,
        ...moved,
        ...(aside.length > 0 ? runAgainWarnings(step, edited.steps, aside) : []),
        ...evictionWarning(rows),
        ...activeWarning(context, look),
      ],
      sidecar: [{ child: parts.ref, parent: isMoved ? { task: archive, id: ref.id } : ref }],
    },
    job: addAside(parts.job, table, aside, archive),
  };
}

/** A copy, or an edit, of a state without a plan. */
async function planOnTop(
  context: PlanContext,
  request: RestoreRequest | EditRequest,
  wanted: Wanted,
  state: Edited,
): Promise<Plan> {
  const { ref, look } = wanted;
  const what = request.kind === 'edit' ? 'edit' : 'copy';
  const greatest = greatestStep(look.session.rows);
  if (greatest === undefined) {
    throw new InspectorError(
      'unsupported',
      `A row in this session has a step that isn't a whole number, so it is chosen over any ${what}.`,
    );
  }
  const step = greatest + 1;
  const text = withStep(state.text, step);
  const set = { ...state.set, step_number: step, state_json: text, created_at: context.now.toISOString() };
  const reason = what === 'edit' ? editReason(wanted) : `copy of ${ref.id} at step ${step}, one above all others`;
  const parts = await savedParts(context, wanted, { steps: state.steps, text, set, reason });
  const rows = [{ ...parts.row, step }, ...look.session.rows];
  return {
    view: {
      ...frame(context, request, ref.task, look.latest),
      ...parts.plan,
      evicts: planList(evictions(evictedByNextSave(rows))),
      protected: planList(headRefs(look).map((head): PlanItem => ({ ref: head, reason: `stays below the ${what}` }))),
      warnings: [...state.warnings, ...evictionWarning(rows), ...activeWarning(context, look)],
      sidecar: [{ child: parts.ref, parent: ref }],
    },
    job: parts.job,
  };
}

interface Saved {
  readonly steps: number;
  /** As it will be in the row. */
  readonly text: string;
  readonly set: SqlRow;
  readonly reason: string;
}

/** One row, copied from the original with other columns. */
async function savedParts(context: PlanContext, wanted: Wanted, { steps, text, set, reason }: Saved) {
  const { row } = wanted;
  const { name } = context.project.table;
  const ref: CheckpointRef = { task: wanted.ref.task, id: newCheckpointId() };
  const sizeBytes = Buffer.byteLength(text);
  return {
    ref,
    row: { ...row, id: ref.id, sizeBytes, rowid: -1n },
    plan: {
      preconditions: [...headStays(wanted), await hashOf(context, wanted), { kind: 'absent', ref } as const],
      writes: planList<PlanItem>([{ ref, reason, sizeBytes, where: `one row of ${name}` }]),
      latestAfter: ref,
      proofHash: await sha256Hex(text),
      next: resumeCall(ref.task, steps > 0),
    },
    job: jobInSession(context, wanted)
      .expectAbsent(name, { id: ref.id })
      .copy(name, { id: row.id }, { ...set, id: ref.id }),
  };
}

const editReason = ({ row }: Wanted): string => `edit of ${row.id}, placed so that it is what resumes`;

function archiveOf({ project, now }: PlanContext, session: string): string {
  return archiveName(session, now, (name) => project.session(name) !== undefined);
}

function toolWarnings({ ref, look }: Wanted): PlanWarning[] {
  if (look.latest.ref?.id !== ref.id) return noPlanWarnings(look);
  const message = 'This is already the latest; the copy only adds a row.';
  return [{ code: 'already_latest', message }, ...noPlanWarnings(look)];
}

/** Rows before this one, in resume order, take precedence over whatever is saved at the step now. */
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
    `The time "${newest}" of step ${step} sorts after every valid time, so it stays ahead.`,
  );
}

/** `setBySave` are members that the save replaces in a state without a plan. @throws InspectorError invalid_input */
function editedState(request: EditRequest, original: string, setBySave: readonly string[]): Edited {
  const { text } = request;
  const root = readEdit(text, { strictFor: 'ctx-sys' });
  if (root.kind !== 'object') {
    throw new InspectorError('invalid_input', `A ctx-sys state must be a JSON object; the text contains ${root.kind}.`);
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
function stepOf(text: string): number {
  const node = valueAt(text, parseJson(text), ['currentStepIndex']);
  const step = node?.kind === 'number' ? Number(sourceOf(text, node)) : Number.NaN;
  if (Number.isSafeInteger(step) && step >= 0) return step;
  throw new InspectorError(
    'invalid_input',
    'currentStepIndex must be 0 or a positive whole number: a state with a plan is saved under it.',
    { data: { path: '$.currentStepIndex' } },
  );
}
