/** Data of a workflow checkpoint. Values typed `unknown` may be anything that JSON can hold, and Dates. */

/**
 * State of a workflow between two steps; all that is needed to continue from there.
 * @example
 * const checkpoint: WorkflowCheckpoint = createCheckpoint('flow', 'run-1', signature, states, context);
 */
export interface WorkflowCheckpoint {
  /** Unique; a storage sets it to the key under which it is saved. */
  checkpointId: string;
  /** The workflow that it belongs to; checkpoints are listed by it. */
  workflowId: string;
  /** The run of the workflow. */
  executionId: string;
  timestamp: Date;
  /** See `computeGraphSignature`. */
  graphSignatureHash: string;
  /** By executor id. */
  executorStates: Record<string, ExecutorState>;
  /** Requests that wait for a person. */
  pendingMessages: PendingMessage[];
  /** What all executors share. */
  sharedState: Record<string, unknown>;
  executionContext?: SerializedExecutionContext;
  metadata?: Record<string, unknown>;
}

/**
 * One executor: what it gave, what it keeps, and how far it is.
 * @example const state: ExecutorState = { executorId: 'writer', output: 'draft', completed: true };
 */
export interface ExecutorState {
  executorId: string;
  output?: unknown;
  internalState?: unknown;
  completed: boolean;
  error?: ExecutorError;
}

/**
 * Why an executor failed.
 * @example const error: ExecutorError = { type: 'TimeoutError', message: 'no answer in 30 s' };
 */
export interface ExecutorError {
  message: string;
  stack?: string;
  type: string;
}

/**
 * A request to a person that is not answered yet.
 * @example
 * const pending: PendingMessage = { requestId: 'r1', executorId: 'gate', data: 'ok?', timestamp: new Date() };
 */
export interface PendingMessage {
  requestId: string;
  executorId: string;
  data: unknown;
  timestamp: Date;
}

/**
 * The execution context at the time of the checkpoint, as plain data.
 * @example const { executorOutputs } = checkpoint.executionContext ?? { executorOutputs: {} };
 */
export interface SerializedExecutionContext {
  workflowId: string;
  executionId: string;
  threadState?: unknown;
  sharedState: Record<string, unknown>;
  executorOutputs: Record<string, unknown>;
}

/**
 * The part of a running workflow's context that a checkpoint takes up.
 * @example
 * const context: ExecutionContext = {
 *   workflowId: 'flow', executionId: 'run-1', sharedState: new Map(), executorOutputs: new Map(),
 * };
 */
export interface ExecutionContext {
  workflowId: string;
  executionId: string;
  /** The conversation, where there is one. */
  thread?: { serialize(): unknown };
  sharedState: ReadonlyMap<string, unknown>;
  executorOutputs: ReadonlyMap<string, unknown>;
}

/**
 * What `createCheckpoint` takes beside the state.
 * @example const options: CreateCheckpointOptions = { checkpointId: 'run-1_writer', metadata: { graph } };
 */
export interface CreateCheckpointOptions {
  /** Default `checkpoint_<ms>_<random>`. */
  checkpointId?: string;
  metadata?: Record<string, unknown>;
  /** Default none. */
  pendingMessages?: readonly PendingMessage[];
}
