import type { Dict } from './dict.ts';

/**
 * Events of checkpoints.
 * @example hooks.register(HookEvent.POST_CHECKPOINT_SAVE, ({ data }) => new HookResult({ success: true }))
 */
export const HookEvent = {
  PRE_CHECKPOINT_SAVE: 'pre_checkpoint_save',
  POST_CHECKPOINT_SAVE: 'post_checkpoint_save',
} as const;
export type HookEvent = (typeof HookEvent)[keyof typeof HookEvent];

/** What a hook is told. */
export interface HookContext {
  readonly eventType: HookEvent;
  readonly agentId: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** `agent_id`, `step_number`, `status`, `timestamp`, and after the save `checkpoint_id`. */
  readonly data: Readonly<Dict>;
}

export interface HookResultInit {
  readonly success: boolean;
  readonly data?: Dict | undefined;
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** What a hook answers. @example new HookResult({ success: true }) */
export class HookResult {
  readonly success: boolean;
  readonly data: Dict | undefined;
  readonly error: string | undefined;
  readonly durationMs: number;

  constructor({ success, data, error, durationMs = 0 }: HookResultInit) {
    this.success = success;
    this.data = data;
    this.error = error;
    this.durationMs = durationMs;
  }
}

/** A function that a `HookManager` calls before or after a save. */
export type Hook = (context: HookContext) => Promise<HookResult> | HookResult;

/** A hook that failed, threw or did not end in time. */
export interface HookFailure {
  readonly event: HookEvent;
  /** The function's name. */
  readonly hook: string;
  readonly error: string;
}

/** How long a `HookManager` waits for a hook. */
export interface HookManagerOptions {
  /** How long one hook may take, in seconds. Default 5. */
  readonly timeout?: number;
}

/** Newest failures kept. */
const KEPT_FAILURES = 100;

/**
 * Runs hooks one after the other in the order of their registration; a failure is recorded, never thrown.
 * @example const hooks = new HookManager({ timeout: 2 })
 */
export class HookManager {
  readonly #hooks = new Map<HookEvent, Hook[]>();
  readonly #failures: HookFailure[] = [];
  readonly #timeoutMs: number;

  constructor({ timeout = 5 }: HookManagerOptions = {}) {
    this.#timeoutMs = timeout * 1000;
  }

  /** The last 100 failures, the oldest first. */
  get failures(): readonly HookFailure[] {
    return [...this.#failures];
  }

  register(event: HookEvent, hook: Hook): void {
    this.#hooks.set(event, [...(this.#hooks.get(event) ?? []), hook]);
  }

  /** Undoes all registrations of this hook for the event; false where there is none. */
  unregister(event: HookEvent, hook: Hook): boolean {
    const hooks = this.#hooks.get(event) ?? [];
    const left = hooks.filter((other) => other !== hook);
    this.#hooks.set(event, left);
    return left.length < hooks.length;
  }

  /** One result per hook. */
  async trigger(event: HookEvent, agentId: string, data: Readonly<Dict>): Promise<HookResult[]> {
    const results: HookResult[] = [];
    for (const hook of this.#hooks.get(event) ?? []) {
      const context = { eventType: event, agentId, timestamp: Date.now() / 1000, data: Object.freeze({ ...data }) };
      const result = await this.#run(hook, context);
      results.push(result);
      if (!result.success)
        this.#record({ event, hook: hook.name, error: result.error ?? 'The hook reported failure.' });
    }
    return results;
  }

  async #run(hook: Hook, context: HookContext): Promise<HookResult> {
    const began = performance.now();
    const took = (): number => performance.now() - began;
    try {
      const { success, data, error } = await this.#inTime(hook, context);
      return new HookResult({ success, data, error, durationMs: took() });
    } catch (error) {
      return new HookResult({ success: false, error: wordsOf(error), durationMs: took() });
    }
  }

  async #inTime(hook: Hook, context: HookContext): Promise<HookResult> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`The hook did not finish within ${this.#timeoutMs / 1000} s.`);
      timer = setTimeout(() => reject(error), this.#timeoutMs);
    });
    try {
      return await Promise.race([hook(context), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #record(failure: HookFailure): void {
    this.#failures.push(failure);
    if (this.#failures.length > KEPT_FAILURES) this.#failures.shift();
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
