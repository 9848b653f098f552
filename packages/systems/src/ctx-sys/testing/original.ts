/**
 * For tests: ctx-sys itself, rebuilt from what is known of version 1.0.0: its three rules (what is loaded, what is
 * pruned, which step a save gets) and its two writers. Uses nothing of this room.
 */
import { randomUUID } from 'node:crypto';
import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';

export interface OriginalState {
  query: string;
  plan: { id: string; description: string; action: string; parameters: object; status: string }[];
  currentStepIndex: number;
  results: { stepId: string; output: unknown; completedAt: string; durationMs: number }[];
  context: unknown;
  lastError?: { stepIndex: number; message: string; timestamp: string };
}

export interface OriginalCheckpoint {
  readonly id: string;
  readonly step: number;
  readonly state: OriginalState;
}

const KEPT = 10;

export class Original {
  readonly #db: SqliteDatabase;
  readonly #table: string;
  /** Ids that retention took, in their order. */
  readonly pruned: string[] = [];

  constructor(path: string, table: string) {
    this.#db = openSqlite(path, { readOnly: false });
    this.#table = table;
  }

  close(): void {
    this.#db.close();
  }

  loadLatest(session: string): OriginalCheckpoint | undefined {
    const sql = `SELECT id, step_number, state_json FROM ${this.#table} WHERE session_id = ? ORDER BY step_number DESC, created_at DESC, rowid DESC LIMIT 1`;
    const row = this.#db.prepare<{ id: string; step_number: number; state_json: string }>(sql).get(session);
    return row && { id: row.id, step: row.step_number, state: JSON.parse(row.state_json) as OriginalState };
  }

  list(session: string): string[] {
    const sql = `SELECT id FROM ${this.#table} WHERE session_id = ? ORDER BY step_number DESC`;
    return this.#ids(sql, session);
  }

  save(session: string, state: OriginalState, trigger: string, description: string | null): string {
    const id = `ckpt_${randomUUID()}`;
    this.#db
      .prepare(`INSERT INTO ${this.#table} VALUES (?, ?, ?, ?, ?, ?, ?, 1, NULL)`)
      .run(id, session, state.currentStepIndex, new Date().toISOString(), JSON.stringify(state), description, trigger);
    const surplus = `session_id = ? AND id NOT IN (SELECT id FROM ${this.#table} WHERE session_id = ? ORDER BY step_number DESC, created_at DESC LIMIT ${KEPT})`;
    this.pruned.push(...this.#ids(`SELECT id FROM ${this.#table} WHERE ${surplus}`, session, session));
    this.#db.prepare(`DELETE FROM ${this.#table} WHERE ${surplus}`).run(session, session);
    return id;
  }

  /** The MCP tool: one step above all others, the user's state as context. */
  toolSave(session: string, context: unknown): string {
    const sql = `SELECT max(step_number) AS n FROM ${this.#table} WHERE session_id = ?`;
    const step = (this.#db.prepare<{ n: number | null }>(sql).get(session)?.n ?? 0) + 1;
    return this.save(session, { query: '', plan: [], currentStepIndex: step, results: [], context }, 'manual', null);
  }

  /** The executor from the latest checkpoint on; `run` throws where a step fails. Ids of what it saved. */
  resume(session: string, run: (step: string) => unknown): { ran: string[]; saved: string[]; isDone: boolean } {
    const checkpoint = this.loadLatest(session);
    if (!checkpoint) throw new Error('There is nothing to resume from.');
    const { state } = checkpoint;
    const [ran, saved]: [string[], string[]] = [[], []];
    for (let step = state.plan[state.currentStepIndex]; step; step = state.plan[state.currentStepIndex]) {
      if (step.status === 'completed') {
        state.currentStepIndex++;
        continue;
      }
      try {
        const output = run(step.id);
        ran.push(step.id);
        step.status = 'completed';
        state.results.push({ stepId: step.id, output, completedAt: new Date().toISOString(), durationMs: 1 });
        state.currentStepIndex++;
        saved.push(this.save(session, state, 'auto', null));
      } catch (error) {
        step.status = 'failed';
        state.lastError = {
          stepIndex: state.currentStepIndex,
          message: String(error),
          timestamp: new Date().toISOString(),
        };
        saved.push(this.save(session, state, 'error', `Failed at step ${state.currentStepIndex}: ${step.description}`));
        return { ran, saved, isDone: false };
      }
    }
    saved.push(this.save(session, state, 'auto', 'Execution complete'));
    return { ran, saved, isDone: true };
  }

  #ids(sql: string, ...values: string[]): string[] {
    return this.#db
      .prepare<{ id: string }>(sql)
      .all(...values)
      .map(({ id }) => id);
  }
}
