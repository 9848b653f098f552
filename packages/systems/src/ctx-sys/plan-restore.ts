import {
  InspectorError,
  planList,
  setMember,
  sha256Hex,
  type ChangeRequest,
  type Eviction,
  type Op,
  type Plan,
  type PlanItem,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { newCheckpointId } from './ids.ts';
import {
  activeWarning,
  hashOf,
  headRefs,
  headStays,
  nothingSaved,
  planFrame,
  resumeCall,
  unchangedRow,
  wantedRow,
  wantedText,
  type PlanContext,
  type Wanted,
} from './plan-parts.ts';
import type { Row } from './rows.ts';
import { archivedFrom, archiveName, evictedByNextSave, greatestStep, KEPT, outranking } from './rules.ts';

type RestoreRequest = Extract<ChangeRequest, { kind: 'restore' }>;

/**
 * Two writers, two ways. A state with a plan is resumed by the executor, whose next saves have lower steps than a copy
 * on top would: so the rows that outrank it are set aside. A state without one comes from the MCP tool, which saves at
 * the greatest step + 1: so does the copy.
 */
export async function planRestore(context: PlanContext, request: RestoreRequest): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  const origin = archivedFrom(wanted.ref.task);
  if (origin !== undefined) {
    throw new InspectorError('unsupported', `This session is an archive of "${origin}", which nothing resumes.`, {
      remedy: `Undo the restore that made it, or copy the checkpoint into a new session.`,
    });
  }
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
  checkKeys(aside);
  const archive = archiveName(ref.task, context.now, (name) => context.project.session(name) !== undefined);
  const rest = look.session.rows.slice(aside.length);
  return {
    ...planFrame(context, request, ref.task, look.latest),
    preconditions: [...headStays(wanted), await hashOf(context, wanted)],
    ...(table.boundSession ? removal(aside) : movement(aside, archive)),
    evicts: planList(evictions(evictedByNextSave(rest))),
    protected: planList<PlanItem>([{ ref, reason: 'stays as it is and becomes the latest' }]),
    warnings: [...executorWarnings(wanted, aside), ...evictionWarning(rest), ...activeWarning(context, look)],
    latestAfter: ref,
    proofHash: await sha256Hex(text),
    next: resumeCall(ref.task, true),
    ops: aside.map(({ id }): Op => {
      const key = { id, session_id: ref.task };
      if (table.boundSession) return { op: 'row.delete', table: table.name, key };
      return { op: 'row.update', table: table.name, key, set: { session_id: archive } };
    }),
    checks: [
      unchangedRow(table.name, row),
      nothingSaved(table.name, look),
      ...(table.boundSession ? [] : [{ check: 'absent', table: table.name, key: { session_id: archive } } as const]),
    ],
  };
}

function movement(aside: readonly Row[], archive: string): Pick<Plan, 'moves' | 'bytesFreed'> {
  const reason = `outranks the target; kept in the archive session ${archive}`;
  const items = aside.map(({ id, session, sizeBytes }) => {
    return { ref: { task: session, id }, to: { task: archive, id }, reason, sizeBytes };
  });
  return { moves: planList(items), bytesFreed: 0 };
}

/** Where sessions are rows of another table, no archive can be named: the rows go to the trash. */
function removal(aside: readonly Row[]): Pick<Plan, 'removes' | 'bytesFreed'> {
  const items = aside.map(({ id, session, sizeBytes }): PlanItem => {
    return { ref: { task: session, id }, reason: 'outranks the target', sizeBytes };
  });
  return { removes: planList(items), bytesFreed: aside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
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
    ops: [{ op: 'row.copy', table: name, key: { id: row.id }, set }],
    checks: [
      unchangedRow(name, row),
      nothingSaved(name, look),
      { check: 'absent', table: name, key: { id: written.id } },
    ],
  };
}

/** Only the number of `currentStepIndex` changes, as in every save of the tool. */
function withStep(text: string, step: number): string {
  try {
    return setMember(text, [], 'currentStepIndex', String(step));
  } catch (cause) {
    throw new InspectorError('unsupported', 'This state is no JSON object, so it cannot say its step.', { cause });
  }
}

function checkKeys(rows: readonly Row[]): void {
  const odd = rows.find(({ oddKey }) => oddKey !== undefined);
  if (!odd) return;
  throw new InspectorError(
    'unsupported',
    `The ${odd.oddKey} of "${odd.id}" is no text, so the row cannot be set aside.`,
  );
}

function evictions(rows: readonly Row[]): Eviction[] {
  const reason = `ctx-sys keeps ${KEPT} per session, the lowest steps go first`;
  return rows.map(({ session, id, sizeBytes }) => ({
    ref: { task: session, id },
    reason,
    sizeBytes,
    when: 'next-save',
  }));
}

function evictionWarning(rows: readonly Row[]): PlanWarning[] {
  const count = evictedByNextSave(rows).length;
  if (count === 0) return [];
  const what = count === 1 ? '1 checkpoint' : `${count} checkpoints`;
  return [
    { code: 'evicts', message: `The agent's next save lets ${what} with the lowest steps go: ${KEPT} are kept.` },
  ];
}

function executorWarnings({ row, seen }: Wanted, aside: readonly Row[]): PlanWarning[] {
  const from = (row.step ?? 0) + 1;
  const last = Math.min(seen.facts.steps, Math.max(...aside.map(({ step }) => step ?? 0)));
  if (last < from) return [];
  const steps = last === from ? `Step ${from} runs` : `Steps ${from} to ${last} run`;
  return [{ code: 'steps_run_again', message: `${steps} again, with whatever they do outside.` }];
}

function toolWarnings({ ref, look }: Wanted): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (look.latest.ref?.id === ref.id) {
    warnings.push({ code: 'already_latest', message: 'This is the latest already; the copy only adds a row.' });
  }
  if (look.seen.some(({ facts }) => facts.steps > 0)) {
    const message =
      'This state has no plan, and others of the session do: an executor that resumes finds nothing to run.';
    warnings.push({ code: 'no_plan', message });
  }
  return warnings;
}
