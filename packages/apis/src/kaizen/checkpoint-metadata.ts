import { compare } from '@checkpoint-inspector/systems/folder';
import { AGENT_STATUSES, type AgentStatus } from './agent-state.ts';
import { DictReader, type Dict } from './dict.ts';
import { Timestamp } from './timestamp.ts';

const KEYS = [
  'checkpoint_id',
  'agent_id',
  'timestamp',
  'step_number',
  'status',
  'size_bytes',
  'parent_checkpoint_id',
] as const;

type Fields = Omit<CheckpointMetadata, 'toDict' | 'parentCheckpointId'>;
/** The fields of a `CheckpointMetadata`; only the parent may be left out. */
export type CheckpointMetadataInit = Fields & { readonly parentCheckpointId?: string | undefined };

/**
 * One checkpoint in a list, without its state (`kaizen.core.autonomy.state.types.CheckpointMetadata`).
 * @example const [newest] = await storage.listCheckpoints('writer'); newest?.checkpointId // 'ckpt_0123456789ab'
 */
export class CheckpointMetadata {
  readonly checkpointId: string;
  readonly agentId: string;
  readonly timestamp: Date;
  readonly stepNumber: number;
  readonly status: AgentStatus;
  /** Bytes as stored. */
  readonly sizeBytes: number;
  readonly parentCheckpointId: string | undefined;

  constructor(init: CheckpointMetadataInit) {
    this.checkpointId = init.checkpointId;
    this.agentId = init.agentId;
    this.timestamp = init.timestamp;
    this.stepNumber = init.stepNumber;
    this.status = init.status;
    this.sizeBytes = init.sizeBytes;
    this.parentCheckpointId = init.parentCheckpointId;
  }

  /** Keys as Kaizen has them, the time as ISO text. */
  toDict(): Record<(typeof KEYS)[number], unknown> {
    return {
      checkpoint_id: this.checkpointId,
      agent_id: this.agentId,
      timestamp: Timestamp.isoformat(this.timestamp),
      step_number: this.stepNumber,
      status: this.status,
      size_bytes: this.sizeBytes,
      parent_checkpoint_id: this.parentCheckpointId ?? null,
    };
  }

  /** @throws InspectorError invalid_input, naming the key */
  static fromDict(data: Readonly<Dict>): CheckpointMetadata {
    const from = new DictReader('CheckpointMetadata', data, KEYS);
    return new CheckpointMetadata({
      checkpointId: from.text('checkpoint_id'),
      agentId: from.text('agent_id'),
      timestamp: from.time('timestamp'),
      stepNumber: from.number('step_number'),
      status: from.oneOf('status', AGENT_STATUSES),
      sizeBytes: from.number('size_bytes'),
      parentCheckpointId: from.textOrNone('parent_checkpoint_id'),
    });
  }
}

/** Newest first; at one time a fork is before its parent, as in the inspector's lists. */
export function newestFirst(items: readonly CheckpointMetadata[]): CheckpointMetadata[] {
  const byId = new Map(items.map((item) => [item.checkpointId, item]));
  const placed = items.map((item) => ({ item, micros: Timestamp.micros(item.timestamp), depth: depthOf(item, byId) }));
  placed.sort(
    (a, b) => compare(b.micros, a.micros) || b.depth - a.depth || compare(b.item.checkpointId, a.item.checkpointId),
  );
  return placed.map(({ item }) => item);
}

/** How many parents in a row have the very same time; the size of the list ends a cycle. */
function depthOf(item: CheckpointMetadata, byId: ReadonlyMap<string, CheckpointMetadata>): number {
  const micros = Timestamp.micros(item.timestamp);
  for (let at = item, depth = 0; ; depth++) {
    const parent = byId.get(at.parentCheckpointId ?? '');
    if (!parent || depth > byId.size || Timestamp.micros(parent.timestamp) !== micros) return depth;
    at = parent;
  }
}
