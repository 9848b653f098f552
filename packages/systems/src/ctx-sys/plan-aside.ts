import {
  InspectorError,
  planList,
  setMember,
  type Eviction,
  type PlannedView,
  type PlanItem,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import type { RowsJob } from '@checkpoint-inspector/io';
import type { Look } from './project.ts';
import type { Row } from './rows.ts';
import { archivedFrom, evictedByNextSave, KEPT } from './rules.ts';
import type { CheckpointTable } from './tables.ts';

/** Nothing resumes an archive. @throws InspectorError unsupported */
export function refuseArchive(session: string): void {
  const origin = archivedFrom(session);
  if (origin === undefined) return;
  throw new InspectorError('unsupported', `This session is an archive of "${origin}", so nothing resumes from it.`, {
    remedy: `Undo the change that made it, or copy the checkpoint into a new session.`,
  });
}

/** Where the rows go that take precedence over what is to be resumed. */
export function setAside(table: CheckpointTable, aside: readonly Row[], archive: string) {
  checkKeys(aside);
  return table.boundSession ? removal(aside) : movement(aside, archive);
}

export function addAside(job: RowsJob, table: CheckpointTable, aside: readonly Row[], archive: string): RowsJob {
  if (!table.boundSession && aside.length > 0) job.expectAbsent(table.name, { session_id: archive });
  for (const { id, session } of aside) {
    const key = { id, session_id: session };
    if (table.boundSession) job.delete(table.name, key);
    else job.update(table.name, key, { session_id: archive });
  }
  return job;
}

function movement(aside: readonly Row[], archive: string): Pick<PlannedView, 'moves' | 'bytesFreed'> {
  const reason = `would be chosen over the target; kept in the archive session ${archive}`;
  const items = aside.map(({ id, session, sizeBytes }) => {
    return { ref: { task: session, id }, to: { task: archive, id }, reason, sizeBytes };
  });
  return { moves: planList(items), bytesFreed: 0 };
}

/** Where sessions are rows of another table, no archive can be named: the rows go to the trash. */
function removal(aside: readonly Row[]): Pick<PlannedView, 'removes' | 'bytesFreed'> {
  const items = aside.map(({ id, session, sizeBytes }): PlanItem => {
    return { ref: { task: session, id }, reason: 'would be chosen over the target', sizeBytes };
  });
  return { removes: planList(items), bytesFreed: aside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
}

/** Only the number of `currentStepIndex` changes, as in every save of the tool. */
export function withStep(text: string, step: number): string {
  try {
    return setMember(text, [], 'currentStepIndex', String(step));
  } catch (cause) {
    throw new InspectorError('unsupported', "This state isn't a JSON object, so its step is unknown.", { cause });
  }
}

function checkKeys(rows: readonly Row[]): void {
  const odd = rows.find(({ oddKey }) => oddKey !== undefined);
  if (!odd) return;
  throw new InspectorError(
    'unsupported',
    `The ${odd.oddKey} of "${odd.id}" isn't text, so the row can't be moved aside.`,
  );
}

export function evictions(rows: readonly Row[]): Eviction[] {
  const reason = `ctx-sys keeps ${KEPT} per session and removes the lowest steps first`;
  return rows.map(({ session, id, sizeBytes }) => ({
    ref: { task: session, id },
    reason,
    sizeBytes,
    when: 'next-save',
  }));
}

export function evictionWarning(rows: readonly Row[]): PlanWarning[] {
  const count = evictedByNextSave(rows).length;
  if (count === 0) return [];
  const what = count === 1 ? '1 checkpoint' : `${count} checkpoints`;
  return [
    { code: 'evicts', message: `The agent's next save will remove ${what} with the lowest steps: it keeps ${KEPT}.` },
  ];
}

/** What a run that continues after `step` does again of the steps whose rows are moved aside. */
export function runAgainWarnings(step: number, steps: number, aside: readonly Row[]): PlanWarning[] {
  const from = step + 1;
  const last = Math.min(steps, Math.max(...aside.map((row) => row.step ?? 0)));
  if (last < from) return [];
  const which = last === from ? `Step ${from} runs` : `Steps ${from} to ${last} run`;
  return [{ code: 'steps_run_again', message: `${which} again, including any side effects.` }];
}

/** Of a state without a plan in a session that has others. */
export function noPlanWarnings({ seen }: Look): PlanWarning[] {
  if (seen.every(({ facts }) => facts.steps === 0)) return [];
  const message =
    'This state has no plan, but others in the session do. An executor that resumes from it will find nothing to run.';
  return [{ code: 'no_plan', message }];
}
