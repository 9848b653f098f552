import { CheckpointStorageError } from './errors.ts';
import { assertFits } from './limits.ts';
import { deserializeCheckpoint } from './serialize.ts';
import { storedText, type CheckpointStorage } from './storage.ts';
import type { WorkflowCheckpoint } from './types.ts';

/**
 * The part of the official client (`redis`, `createClient()`) that is used; the caller connects and closes it.
 * @example const client: RedisClient = await createClient({ url }).connect();
 */
export interface RedisClient {
  hGet(key: string, field: string): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * Where the keys begin.
 * @example new RedisCheckpointStorage(client, { prefix: 'prod:checkpoints' });
 */
export interface RedisStorageOptions {
  /** Default `checkpoints`. Put into braces, so that a cluster keeps all keys in one slot. */
  prefix?: string;
  /** Most bytes of a checkpoint; default 511 MiB. Lower it with the server's `proto-max-bulk-len`. */
  maxBytes?: number;
}

/** Redis takes values of 512 MiB, and a text of JavaScript may be a few units shorter. */
const MAX_VALUE_BYTES = 511 * 1024 * 1024;

// The text, its workflow and the number of its save are together; the index of the workflow is ordered by time.
const SAVE = `
local base, id, workflow = ARGV[1], ARGV[2], ARGV[3]
local old = redis.call('HGET', KEYS[1], 'workflow')
if old then redis.call('ZREM', base .. ':workflow:' .. old, id) end
redis.call('HSET', KEYS[1], 'text', ARGV[5], 'workflow', workflow, 'save', redis.call('INCR', base .. ':saves'))
redis.call('ZADD', base .. ':workflow:' .. workflow, ARGV[4], id)
`;
const DELETE = `
local workflow = redis.call('HGET', KEYS[1], 'workflow')
if workflow then redis.call('ZREM', ARGV[1] .. ':workflow:' .. workflow, ARGV[2]) end
redis.call('DEL', KEYS[1])
`;
const LIST = `
local rows = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local out = {}
for at = 1, #rows, 2 do
  local save = redis.call('HGET', ARGV[1] .. ':checkpoint:' .. rows[at], 'save')
  if save then out[#out + 1] = { rows[at], rows[at + 1], save } end
end
return out
`;

/**
 * Checkpoints in Redis, for many processes. Each change is one script: whole, or not at all. How durable it is depends
 * on the server's `appendonly` and `save`; nothing expires by itself.
 * @example const storage = new RedisCheckpointStorage(await createClient({ url: process.env.REDIS_URL }).connect());
 */
export class RedisCheckpointStorage implements CheckpointStorage {
  readonly #client: RedisClient;
  readonly #base: string;
  readonly #maxBytes: number;

  constructor(client: RedisClient, options: RedisStorageOptions = {}) {
    this.#client = client;
    this.#base = `{${options.prefix ?? 'checkpoints'}}`;
    this.#maxBytes = options.maxBytes ?? MAX_VALUE_BYTES;
  }

  async saveCheckpoint(checkpointId: string, checkpoint: WorkflowCheckpoint): Promise<void> {
    const text = storedText(checkpointId, checkpoint);
    assertFits(text, this.#maxBytes);
    const time = String(checkpoint.timestamp.getTime());
    await this.#run(SAVE, this.#key(checkpointId), [checkpointId, checkpoint.workflowId, time, text]);
  }

  async loadCheckpoint(checkpointId: string): Promise<WorkflowCheckpoint | null> {
    const text = await this.#client.hGet(this.#key(checkpointId), 'text').catch(failed);
    return typeof text === 'string' ? deserializeCheckpoint(text) : null;
  }

  async listCheckpoints(workflowId: string): Promise<string[]> {
    const rows = await this.#run(LIST, `${this.#base}:workflow:${workflowId}`, []);
    const listed = (Array.isArray(rows) ? rows : []).map((row: unknown) => {
      const [id, time, save] = Array.isArray(row) ? row.map(String) : [];
      return { id: id ?? '', time: Number(time), save: Number(save) };
    });
    return listed.sort((a, b) => b.time - a.time || b.save - a.save).map(({ id }) => id);
  }

  async deleteCheckpoint(checkpointId: string): Promise<void> {
    await this.#run(DELETE, this.#key(checkpointId), [checkpointId]);
  }

  #key(checkpointId: string): string {
    return `${this.#base}:checkpoint:${checkpointId}`;
  }

  #run(script: string, key: string, values: readonly string[]): Promise<unknown> {
    return this.#client.eval(script, { keys: [key], arguments: [this.#base, ...values] }).catch(failed);
  }
}

function failed(cause: unknown): never {
  throw new CheckpointStorageError(cause);
}
