import {
  InspectorError,
  planList,
  sha256Hex,
  type SystemRequest,
  type Plan,
  type PlanItem,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { newCheckpointId, archiveName, evictedByNextSave, greatestStep, outranking } from './rules.ts';
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
  type Wanted,
} from './plan-parts.ts';

type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;

/**
 * Two writers, two ways. A state with a plan is resumed by the executor, whose next saves have lower steps than a copy
 * on top would: so the rows that outrank it are set aside. A state without one comes from the MCP tool, which saves at
 * the greatest step + 1: so does the copy.
 */
export async function planRestore(context: PlanContext, request: RestoreRequest): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  refuseArchive(wanted.ref.task);
  const text = await wantedText(context, wanted);
  return wanted.seen.facts.steps > 0
    ? planSetAside(context, request, wanted, text)
    : planCopyOnTop(context, request, wanted, text);
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
    throw new InspectorError('unsupported', `${ref.id} is the latest already: a resumed run starts from it.`, {
      remedy: 'Nothing needs to be written. To try something else beside it, copy it into a new session.',
    });
  }
  const archive = archiveName(ref.task, context.now, (name) => context.project.session(name) !== undefined);
  const rest = look.session.rows.slice(aside.length);
  return {
    view: {
      ...planFrame(context, request, ref.task, look.latest),
      preconditions: [...headStays(wanted), await hashOf(context, wanted)],
      ...setAside(table, aside, archive),
      evicts: planList(evictions(evictedByNextSave(rest))),
      protected: planList<PlanItem>([{ ref, reason: 'stays as it is and becomes the latest' }]),
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

async function planCopyOnTop(
  context: PlanContext,
  request: RestoreRequest,
  wanted: Wanted,
  text: string,
): Promise<Plan> {
  const { ref, row, look } = wanted;
  const { name } = context.project.table;
  const greatest = greatestStep(look.session.rows);
  if (greatest === undefined) {
    throw new InspectorError(
      'unsupported',
      'A row of this session has a step that is no whole number: it outranks any copy.',
    );
  }
  const step = greatest + 1;
  const copy = withStep(text, step);
  const written = { task: ref.task, id: newCheckpointId() };
  const set = { id: written.id, step_number: step, created_at: context.now.toISOString(), state_json: copy };
  const reason = `copy of ${ref.id} at step ${step}, one above all others`;
  const rows = [{ ...row, id: written.id, step, sizeBytes: 0, rowid: -1n }, ...look.session.rows];
  return {
    view: {
      ...planFrame(context, request, ref.task, look.latest),
      preconditions: [...headStays(wanted), await hashOf(context, wanted), { kind: 'absent', ref: written }],
      writes: planList<PlanItem>([
        { ref: written, reason, sizeBytes: Buffer.byteLength(copy), where: `one row of ${name}` },
      ]),
      evicts: planList(evictions(evictedByNextSave(rows))),
      protected: planList(headRefs(look).map((ref): PlanItem => ({ ref, reason: 'stays below the copy' }))),
      warnings: [...toolWarnings(wanted), ...evictionWarning(rows), ...activeWarning(context, look)],
      latestAfter: written,
      proofHash: await sha256Hex(copy),
      next: resumeCall(ref.task, false),
      sidecar: [{ child: written, parent: ref }],
    },
    job: jobInSession(context, wanted).expectAbsent(name, { id: written.id }).copy(name, { id: row.id }, set),
  };
}

function toolWarnings({ ref, look }: Wanted): PlanWarning[] {
  if (look.latest.ref?.id !== ref.id) return noPlanWarnings(look);
  const message = 'This is the latest already; the copy only adds a row.';
  return [{ code: 'already_latest', message }, ...noPlanWarnings(look)];
}
