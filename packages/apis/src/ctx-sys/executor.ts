import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointManager } from './manager.ts';
import { FINAL } from '@checkpoint-inspector/systems/ctx-sys';
import { toText } from './state.ts';
import type { AgentState, ExecuteOptions, ExecuteStep, ExecutionResult, PlanStep, SaveOptions } from './types.ts';

interface Run {
  readonly sessionId: string;
  readonly projectId: string;
  readonly state: AgentState;
  readonly autoCheckpoint: boolean;
  readonly startTime: number;
}

/**
 * Runs a plan step by step and saves a checkpoint after each.
 * @example const result = await new CheckpointedExecutor(manager, runTool).execute('s', 'p', plan, { resumeFromCheckpoint: true })
 */
export class CheckpointedExecutor {
  readonly #manager: CheckpointManager;
  readonly #executeStep: ExecuteStep;

  /** Without `executeStep` every run fails at its first step, in the document's words. */
  constructor(manager: CheckpointManager, executeStep: ExecuteStep = notImplemented) {
    this.#manager = manager;
    this.#executeStep = executeStep;
  }

  /**
   * Runs what is left of the plan. A step that fails ends the run: `success` is false, and an error checkpoint holds
   * everything up to it. The caller's plan is not changed; see `state.plan` of the result.
   * @throws InspectorError invalid_input | unreadable when the run cannot begin
   */
  async execute(
    sessionId: string,
    projectId: string,
    plan: readonly PlanStep[],
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    const state = await this.#begin(sessionId, plan, options);
    const startTime = Date.now();
    const autoCheckpoint = options.autoCheckpoint ?? this.#manager.config.autoCheckpoint;
    const run: Run = { sessionId, projectId, state, autoCheckpoint, startTime };
    try {
      await this.#runSteps(run);
      await this.#save(run, { triggerType: 'auto', description: FINAL });
      return { success: true, state, totalDurationMs: Date.now() - startTime };
    } catch (error) {
      return { success: false, state, error: messageOf(error), totalDurationMs: Date.now() - startTime };
    }
  }

  async #begin(sessionId: string, plan: readonly PlanStep[], options: ExecuteOptions): Promise<AgentState> {
    const checkpoint = options.resumeFromCheckpoint === true ? await this.#manager.loadLatest(sessionId) : null;
    if (!checkpoint) return initialState(plan, options.query ?? '');
    const { state } = checkpoint;
    if (!Array.isArray(state?.plan) || (state.plan.length === 0 && plan.length > 0)) {
      throw new InspectorError('invalid_input', `Checkpoint "${checkpoint.id}" has no plan to resume.`, {
        remedy: 'Run without resumeFromCheckpoint, or restore a checkpoint with a plan.',
      });
    }
    state.results ??= [];
    this.#manager.recordResume(state.plan.filter(({ status }) => status === 'completed').length);
    return state;
  }

  async #runSteps(run: Run): Promise<void> {
    const { state } = run;
    for (let step = state.plan[state.currentStepIndex]; step; step = state.plan[state.currentStepIndex]) {
      const isOver = step.status === 'completed' || step.status === 'skipped';
      if (!isOver && dependsOnFailure(step, state.plan)) step.status = 'skipped';
      else if (!isOver) await this.#runStep(run, step);
      state.currentStepIndex++;
      if (!isOver && run.autoCheckpoint) await this.#save(run, { triggerType: 'auto' });
    }
  }

  async #runStep(run: Run, step: PlanStep): Promise<void> {
    const { state } = run;
    step.status = 'running';
    const stepStart = Date.now();
    try {
      const output = await this.#executeStep(step, state);
      // An output that cannot be saved is a failure of its step, found before it is recorded.
      if (output !== undefined) toText(output);
      step.status = 'completed';
      state.results.push({ stepId: step.id, output, completedAt: new Date(), durationMs: Date.now() - stepStart });
    } catch (error) {
      await this.#fail(run, step, error);
      throw error;
    }
  }

  async #fail(run: Run, step: PlanStep, error: unknown): Promise<void> {
    const { state } = run;
    const stepIndex = state.currentStepIndex;
    step.status = 'failed';
    state.lastError = { stepIndex, message: messageOf(error), timestamp: new Date() };
    await this.#save(run, { triggerType: 'error', description: `Failed at step ${stepIndex}: ${step.description}` });
  }

  async #save({ sessionId, projectId, state, startTime }: Run, options: SaveOptions): Promise<void> {
    if (!this.#manager.config.enabled) return;
    await this.#manager.save(sessionId, projectId, state, { ...options, durationMs: Date.now() - startTime });
  }
}

function notImplemented(): never {
  throw new Error('executeStep must be implemented');
}

function initialState(plan: readonly PlanStep[], query: string): AgentState {
  return { query, plan: structuredClone([...plan]), currentStepIndex: 0, results: [], context: {} };
}

/** A failed step takes those that need it along, through skipped ones too. */
function dependsOnFailure(step: PlanStep, plan: readonly PlanStep[], seen = new Set<PlanStep>()): boolean {
  seen.add(step);
  return plan.some((other) => {
    if (!step.dependencies?.includes(other.id) || seen.has(other)) return false;
    return other.status === 'failed' || (other.status === 'skipped' && dependsOnFailure(other, plan, seen));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
