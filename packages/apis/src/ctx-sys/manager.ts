import { InspectorError } from '@checkpoint-inspector/core';
import { looksLikeBomb, MAX_FILE_BYTES } from '@checkpoint-inspector/io';
import { gzipSync } from 'node:zlib';
import {
  checkNames,
  checkStep,
  deleteOlder,
  insertCheckpoint,
  projectTable,
  quoted,
  refusal,
  RESUME_ORDER,
  stateText,
  type CheckpointDatabase,
  type CheckpointTable,
} from '@checkpoint-inspector/systems/ctx-sys';
import { checkConfig, DEFAULT_CHECKPOINT_CONFIG, isDays, type CheckpointConfig } from './config.ts';
import { stateToText, textToState } from './state.ts';
import type { AgentState, Checkpoint, CheckpointSummary, SaveOptions, TriggerType } from './types.ts';

/** The five metrics of the document, for the process that saves. */
export interface CheckpointMetrics {
  readonly checkpoint_save_count: number;
  readonly checkpoint_resume_count: number;
  /** Mean of the states' bytes as JSON. */
  readonly checkpoint_save_size_bytes: number;
  /** Mean, in milliseconds. */
  readonly checkpoint_save_latency_ms: number;
  /** Steps that were not run again. */
  readonly steps_recovered: number;
}

export class MetricsCounter {
  #saves = 0;
  #bytes = 0;
  #latencyMs = 0;
  #resumes = 0;
  #recovered = 0;

  saved(bytes: number, latencyMs: number): void {
    this.#saves++;
    this.#bytes += bytes;
    this.#latencyMs += latencyMs;
  }

  resumed(stepsRecovered: number): void {
    this.#resumes++;
    this.#recovered += stepsRecovered;
  }

  read(): CheckpointMetrics {
    const mean = (sum: number): number => (this.#saves === 0 ? 0 : sum / this.#saves);
    return {
      checkpoint_save_count: this.#saves,
      checkpoint_resume_count: this.#resumes,
      checkpoint_save_size_bytes: mean(this.#bytes),
      checkpoint_save_latency_ms: mean(this.#latencyMs),
      steps_recovered: this.#recovered,
    };
  }
}

/** Smaller states gain nothing from gzip. */
const COMPRESS_FROM_BYTES = 4096;
const TRIGGERS: readonly string[] = ['auto', 'manual', 'error'];

interface Stored {
  readonly id: string;
  readonly session_id: string;
  readonly project_id: string | null;
  readonly step_number: number;
  readonly created_at: string;
  readonly bytes: Uint8Array;
  readonly description: string | null;
  readonly trigger_type: string;
  readonly duration_ms: number | null;
  readonly token_usage: number | null;
}

/**
 * Saves and loads an agent's state after its steps.
 * @example const saved = await manager.save('session-1', 'project-1', state, { triggerType: 'manual' })
 */
export class CheckpointManager {
  readonly #db: CheckpointDatabase;
  readonly #table: string;
  readonly #metrics = new MetricsCounter();
  readonly config: CheckpointConfig;
  readonly #maxRowBytes: number | undefined;

  /** @throws InspectorError invalid_input (a bad option) | unsupported (compression in a database of ctx-sys) */
  constructor(
    db: CheckpointDatabase,
    config: Partial<CheckpointConfig> = {},
    /** In tests only. */ { maxRowBytes }: { readonly maxRowBytes?: number } = {},
  ) {
    this.#maxRowBytes = maxRowBytes;
    this.config = { ...DEFAULT_CHECKPOINT_CONFIG, ...checkConfig(config, 'config') };
    if (this.config.compressState && !db.table.isOwn) {
      throw new InspectorError(
        'unsupported',
        'compressState: ctx-sys reads states as plain JSON and could not resume from a compressed one.',
        { remedy: 'Turn compressState off, or save to a new file.' },
      );
    }
    this.#db = db;
    this.#table = quoted(db.table.name);
  }

  /**
   * Saves a state and lets the session's surplus checkpoints go, in one transaction.
   * @throws InspectorError invalid_input | too_large | busy | disk_full | unsupported (switched off); nothing is written then
   */
  async save(sessionId: string, projectId: string, state: AgentState, options: SaveOptions = {}): Promise<Checkpoint> {
    const start = performance.now();
    if (!this.config.enabled) throw new InspectorError('unsupported', 'Checkpoints are turned off (enabled: false).');
    checkNames({ sessionId, projectId });
    checkProject(this.#db.table, projectId);
    checkOptions(options);
    const text = stateToText(state);
    const stepNumber = checkStep(state.currentStepIndex);
    const { description, triggerType = 'auto', durationMs = 0, tokenUsage } = options;
    const { id, createdAt } = insertCheckpoint(
      this.#db,
      {
        session: sessionId,
        project: projectId,
        step: stepNumber,
        state: this.config.compressState ? compressed(text) : text,
        description,
        trigger: triggerType,
        durationMs,
        tokenUsage,
      },
      { ...this.config, maxRowBytes: this.#maxRowBytes },
    );
    this.#metrics.saved(Buffer.byteLength(text), performance.now() - start);
    const metadata = { description, triggerType, durationMs, tokenUsage };
    return { id, sessionId, projectId, stepNumber, createdAt, state, metadata };
  }

  /** The checkpoint that a resumed run starts from: greatest step, then newest, then saved last. @throws InspectorError unreadable */
  async loadLatest(sessionId: string): Promise<Checkpoint | null> {
    checkNames({ sessionId });
    const row = this.#one(`WHERE session_id = ? ORDER BY ${RESUME_ORDER} LIMIT 1`, sessionId);
    return row ? this.#checkpoint(row) : null;
  }

  /** One checkpoint, of any session. @throws InspectorError unreadable */
  async load(checkpointId: string): Promise<Checkpoint | null> {
    checkNames({ checkpointId });
    const row = this.#one('WHERE id = ?', checkpointId);
    return row ? this.#checkpoint(row) : null;
  }

  /** Without states, the latest first. */
  async list(sessionId: string): Promise<CheckpointSummary[]> {
    checkNames({ sessionId });
    const sql =
      `SELECT id, step_number, created_at, description, trigger_type, duration_ms FROM ${this.#table} ` +
      `WHERE session_id = ? ORDER BY ${RESUME_ORDER}`;
    return this.#db.sqlite
      .prepare<Stored>(sql)
      .all(sessionId)
      .map((row) => ({
        id: row.id,
        stepNumber: row.step_number,
        createdAt: dateOf(row.created_at),
        description: row.description ?? undefined,
        triggerType: triggerOf(row.trigger_type),
        durationMs: row.duration_ms ?? 0,
      }));
  }

  /** An id that is missing is not an error. */
  async delete(checkpointId: string): Promise<void> {
    checkNames({ checkpointId });
    this.#db.sqlite.prepare(`DELETE FROM ${this.#table} WHERE id = ?`).run(checkpointId);
  }

  async clearSession(sessionId: string): Promise<void> {
    checkNames({ sessionId });
    this.#db.sqlite.prepare(`DELETE FROM ${this.#table} WHERE session_id = ?`).run(sessionId);
  }

  /** Deletes checkpoints of all sessions that are older than so many days of 24 hours; how many they were. */
  async pruneByAge(days: number): Promise<number> {
    if (!isDays(days)) throw new InspectorError('invalid_input', `${days} isn't a number of days.`, { data: { days } });
    return deleteOlder(this.#db, days).length;
  }

  /** Counted by this process. */
  metrics(): CheckpointMetrics {
    return this.#metrics.read();
  }

  /** For executors: a run continued from a checkpoint, and so many steps were not run again. */
  recordResume(stepsRecovered: number): void {
    this.#metrics.resumed(stepsRecovered);
  }

  close(): void {
    this.#db.close();
  }

  #one(where: string, value: string): Stored | undefined {
    const project = this.#db.table.hasProjectColumn ? 'project_id' : 'NULL';
    const sql =
      `SELECT id, session_id, ${project} AS project_id, step_number, created_at, CAST(state_json AS BLOB) AS bytes, ` +
      `description, trigger_type, duration_ms, token_usage FROM ${this.#table} ${where}`;
    return this.#db.sqlite.prepare<Stored>(sql).get(value);
  }

  async #checkpoint(row: Stored): Promise<Checkpoint> {
    const { table, sqlite } = this.#db;
    const text = await stateText(row.bytes, table.isOwn, String(sqlite.pragma('encoding')));
    return {
      id: row.id,
      sessionId: row.session_id,
      projectId: row.project_id ?? table.projects[0] ?? '',
      stepNumber: row.step_number,
      createdAt: dateOf(row.created_at),
      state: textToState(text),
      metadata: {
        description: row.description ?? undefined,
        triggerType: triggerOf(row.trigger_type),
        durationMs: row.duration_ms ?? 0,
        tokenUsage: row.token_usage ?? undefined,
      },
    };
  }
}

/** SQLite's own form, `YYYY-MM-DD HH:MM:SS`, is UTC as well. */
function dateOf(text: string): Date {
  return new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

/** The smaller one of both forms; as it is where reading would refuse to inflate it. */
function compressed(text: string): string | Uint8Array {
  const size = Buffer.byteLength(text);
  if (size < COMPRESS_FROM_BYTES || size > MAX_FILE_BYTES) return text;
  const bytes = gzipSync(text);
  return bytes.length < size && !looksLikeBomb(size, bytes.length) ? bytes : text;
}

/** A table of ctx-sys belongs to one project. @throws InspectorError invalid_input */
function checkProject(table: CheckpointTable, projectId: string): void {
  if (table.layout === 'document' || projectTable(projectId) === table.name) return;
  const own = table.projects.join(', ');
  throw refusal(
    'projectId',
    `This manager saves for project ${own}, not "${projectId}". Open another one for that project.`,
  );
}

/** @throws InspectorError invalid_input */
function checkOptions({ triggerType, durationMs, tokenUsage, description }: SaveOptions): void {
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
function triggerOf(text: string): TriggerType {
  return text === 'auto' || text === 'error' ? text : 'manual';
}
