/** The types of the document, with its names. `Date` where it says so; a missing text is `undefined`. */

/** Why a checkpoint was saved. */
export type TriggerType = 'auto' | 'manual' | 'error';
/** How far a step of the plan is. */
export type StepStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped';

/** One saved state of a session, with what the save was told about it. */
export interface Checkpoint {
  /** `ckpt_<uuid>`. */
  id: string;
  sessionId: string;
  projectId: string;
  /** `state.currentStepIndex` at the save. */
  stepNumber: number;
  createdAt: Date;
  state: AgentState;
  metadata: {
    description?: string | undefined;
    triggerType: TriggerType;
    /** Time to reach this checkpoint, in milliseconds. */
    durationMs: number;
    tokenUsage?: number | undefined;
  };
}

/** The state of an agent: its plan, the results so far, and the step that runs next. */
export interface AgentState {
  query: string;
  plan: PlanStep[];
  /** Index in `plan` of the step that runs next. */
  currentStepIndex: number;
  results: StepResult[];
  context: Record<string, unknown>;
  lastError?: { stepIndex: number; message: string; timestamp: Date } | undefined;
}

/** One step of the plan. */
export interface PlanStep {
  id: string;
  description: string;
  /** Tool or action to execute. */
  action: string;
  parameters: Record<string, unknown>;
  status: StepStatus;
  /** Ids of steps; if one of them failed, this one is skipped. */
  dependencies?: string[] | undefined;
}

/** What one step gave, and how long it took in milliseconds. */
export interface StepResult {
  stepId: string;
  output: unknown;
  completedAt: Date;
  durationMs: number;
  tokenUsage?: number | undefined;
}

/** What a save may say about itself; times in milliseconds. */
export interface SaveOptions {
  description?: string | undefined;
  /** Default `auto`. */
  triggerType?: TriggerType | undefined;
  /** Default 0. */
  durationMs?: number | undefined;
  tokenUsage?: number | undefined;
}

/** One checkpoint in a list, without its state. */
export interface CheckpointSummary {
  id: string;
  stepNumber: number;
  createdAt: Date;
  description?: string | undefined;
  triggerType: TriggerType;
  durationMs: number;
}

/** How a run begins. */
export interface ExecuteOptions {
  /** Default empty. */
  query?: string | undefined;
  /** Continue from the latest checkpoint of the session, if there is one. Default false. */
  resumeFromCheckpoint?: boolean | undefined;
  /** Default: as configured, which is true unless told otherwise. Error and final checkpoints are saved all the same. */
  autoCheckpoint?: boolean | undefined;
}

/** How a run ended; times in milliseconds. */
export interface ExecutionResult {
  success: boolean;
  state: AgentState;
  error?: string | undefined;
  totalDurationMs: number;
}

/** Runs one step and gives its output, which must be JSON. */
export type ExecuteStep = (step: PlanStep, state: AgentState) => unknown;
