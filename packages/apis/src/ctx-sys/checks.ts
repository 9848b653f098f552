import { projectTable, refusal, type CheckpointTable } from '@checkpoint-inspector/systems/ctx-sys';
import type { SaveOptions, TriggerType } from './types.ts';

const TRIGGERS: readonly string[] = ['auto', 'manual', 'error'];

/** A table of ctx-sys belongs to one project. @throws InspectorError invalid_input */
export function checkProject(table: CheckpointTable, projectId: string): void {
  if (table.layout === 'document' || projectTable(projectId) === table.name) return;
  const own = table.projects.join(', ');
  throw refusal(
    'projectId',
    `This manager saves for project ${own}, not "${projectId}". Open another one for that project.`,
  );
}

/** @throws InspectorError invalid_input */
export function checkOptions({ triggerType, durationMs, tokenUsage, description }: SaveOptions): void {
  if (triggerType !== undefined && !TRIGGERS.includes(triggerType)) {
    throw refusal('triggerType', `triggerType must be auto, manual or error, not "${String(triggerType)}".`);
  }
  if (durationMs !== undefined && !(Number.isFinite(durationMs) && durationMs >= 0)) {
    throw refusal('durationMs', `durationMs must be 0 or a positive number, not ${durationMs}.`);
  }
  if (tokenUsage !== undefined && !(Number.isSafeInteger(tokenUsage) && tokenUsage >= 0)) {
    throw refusal('tokenUsage', `tokenUsage must be 0 or a positive whole number, not ${tokenUsage}.`);
  }
  if (description !== undefined && typeof description !== 'string')
    throw refusal('description', 'description must be a string.');
}

/** Rows by others may hold anything here; anything but these three was not an automatic save. */
export function triggerOf(text: string): TriggerType {
  return text === 'auto' || text === 'error' ? text : 'manual';
}
