import { InspectorError } from '@checkpoint-inspector/core';
import { projectTable, type CheckpointTable } from '../tables.ts';
import type { SaveOptions, TriggerType } from './types.ts';

const TRIGGERS: readonly string[] = ['auto', 'manual', 'error'];

function refuse(name: string, message: string): InspectorError {
  return new InspectorError('invalid_input', message, { data: { name } });
}

/** @throws InspectorError invalid_input for an empty one */
export function checkNames(names: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(names)) {
    if (typeof value !== 'string' || value === '') throw refuse(name, `${name} must be a non-empty string.`);
    // SQLite would store another text than the one that was given.
    if (!value.isWellFormed()) throw refuse(name, `${name} contains half of a surrogate pair.`);
  }
}

/** A table of ctx-sys belongs to one project. @throws InspectorError invalid_input */
export function checkProject(table: CheckpointTable, projectId: string): void {
  if (table.layout === 'document' || projectTable(projectId) === table.name) return;
  const own = table.projects.join(', ');
  throw refuse(
    'projectId',
    `This manager saves for project ${own}, not "${projectId}". Open another one for that project.`,
  );
}

/** @throws InspectorError invalid_input */
export function checkStep(step: unknown): number {
  if (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0) return step;
  throw refuse('currentStepIndex', `state.currentStepIndex must be 0 or a positive whole number, not ${String(step)}.`);
}

/** @throws InspectorError invalid_input */
export function checkOptions({ triggerType, durationMs, tokenUsage, description }: SaveOptions): void {
  if (triggerType !== undefined && !TRIGGERS.includes(triggerType)) {
    throw refuse('triggerType', `triggerType must be auto, manual or error, not "${String(triggerType)}".`);
  }
  if (durationMs !== undefined && !(Number.isFinite(durationMs) && durationMs >= 0)) {
    throw refuse('durationMs', `durationMs must be 0 or a positive number, not ${durationMs}.`);
  }
  if (tokenUsage !== undefined && !(Number.isSafeInteger(tokenUsage) && tokenUsage >= 0)) {
    throw refuse('tokenUsage', `tokenUsage must be 0 or a positive whole number, not ${tokenUsage}.`);
  }
  if (description !== undefined && typeof description !== 'string')
    throw refuse('description', 'description must be a string.');
}

/** Rows by others may hold anything here; anything but these three was not an automatic save. */
export function triggerOf(text: string): TriggerType {
  return text === 'auto' || text === 'error' ? text : 'manual';
}

/** A foreign key of the document's own database: its session or project has no row. */
export function constraint(error: unknown): unknown {
  if (!InspectorError.is(error) || !String(error.data?.['sqlite']).startsWith('SQLITE_CONSTRAINT')) return error;
  return new InspectorError('invalid_input', `The database rejected this row: ${error.message}`, {
    cause: error,
    remedy: 'Create the rows for the session and the project first.',
  });
}
