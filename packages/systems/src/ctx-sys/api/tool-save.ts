/** Saving as the checkpoint tool of ctx-sys does: a state as JSON text, for a session. */
import { memberOf, parseJson, sourceOf, type NewCheckpoint, type SaveOptions } from '@checkpoint-inspector/core';
import { quoted } from '../tables.ts';
import { CheckpointManager } from './manager.ts';
import { openCheckpointTable, type CheckpointDatabase } from './database.ts';

/** For a row of the document's table in a file where nobody has named a project yet. */
const NO_PROJECT = 'default';

export interface ToolSave {
  readonly path: string;
  /** The name of the table: a project's, or the document's. */
  readonly table: string;
}

/**
 * A state of the document, told by its `plan` and `currentStepIndex`, is saved as it is at that step. Any other object
 * becomes the `context` of one, a step above all others of its session, so that ctx-sys loads it as the latest.
 * @returns the id
 * @throws InspectorError invalid_input (also what retention would drop at once) | changed (`mayEvict`) | busy | disk_full | no_store
 */
export async function saveAsTool(
  { path, table }: ToolSave,
  { task, text, description, trigger }: Pick<NewCheckpoint, 'task' | 'text' | 'description' | 'trigger'>,
  { mayEvict }: Pick<SaveOptions, 'mayEvict'> = {},
): Promise<string> {
  const database = openCheckpointTable(path, table);
  try {
    const manager = new CheckpointManager(database);
    const step = stepOf(text);
    const state = step === undefined ? contextState(text, topStep(database, task) + 1) : { text, step };
    const triggerType = trigger === 'auto' || trigger === 'error' ? trigger : 'manual';
    return await manager.saveText(task, projectOf(database, task), state, { description, triggerType }, mayEvict);
  } finally {
    database.close();
  }
}

/** `undefined` for a state that is not one of the document. */
function stepOf(text: string): number | undefined {
  const root = parseJson(text);
  if (root.kind !== 'object' || memberOf(root, 'plan')?.value.kind !== 'array') return undefined;
  const step = memberOf(root, 'currentStepIndex')?.value;
  return step?.kind === 'number' ? Number(sourceOf(text, step)) : undefined;
}

const contextState = (context: string, step: number) => ({
  text: `{"query":"","plan":[],"currentStepIndex":${step},"results":[],"context":${context}}`,
  step,
});

function topStep({ sqlite, table }: CheckpointDatabase, session: string): number {
  const sql = `SELECT max(step_number) AS top FROM ${quoted(table.name)} WHERE session_id = ?`;
  return sqlite.prepare<{ top: number | null }>(sql).get(session)?.top ?? 0;
}

/** The document's table names the project in each row: that of the session, else the newest. */
function projectOf({ sqlite, table }: CheckpointDatabase, session: string): string {
  if (!table.hasProjectColumn) return table.projects[0] ?? NO_PROJECT;
  const sql =
    `SELECT project_id AS id FROM ${quoted(table.name)} WHERE project_id <> '' ` +
    'ORDER BY session_id = ? DESC, rowid DESC LIMIT 1';
  return sqlite.prepare<{ id: string }>(sql).get(session)?.id ?? NO_PROJECT;
}
