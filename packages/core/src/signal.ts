import { compact } from './compact.ts';
import type { CallOptions, CheckpointSource } from './contract.ts';

/**
 * What the work answers, unless the signal is aborted first: then its reason, at once. The work itself continues to its end.
 * @throws what the work throws, or the reason of the signal
 * @example const state = await untilAborted(signal, () => remote.state(ref));
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined) return work();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** Where each call of a store takes its options. */
const OPTIONS_AT: { readonly [call: string]: number } = {
  tasks: 0,
  checkpoints: 1,
  lineage: 1,
  lineageParts: 1,
  meta: 1,
  state: 1,
  latest: 1,
  find: 1,
  raw: 1,
  beside: 1,
  capability: 1,
  part: 3,
  values: 2,
  diff: 2,
  plan: 1,
  version: 0,
} satisfies { readonly [Call in keyof CheckpointSource | 'plan']?: number };

/**
 * A store as one request asks it: every call has these options, as far as it names none of its own.
 * @example const task = await findTask(withOptions(source, { signal: request.signal }), 'run-1');
 */
export function withOptions<S extends CheckpointSource>(source: S, options: CallOptions): S {
  return new Proxy(source, {
    get(own, key) {
      const value: unknown = Reflect.get(own, key);
      if (typeof value !== 'function') return value;
      const at = typeof key === 'string' ? OPTIONS_AT[key] : undefined;
      if (at === undefined) return value.bind(own);
      return (...args: unknown[]): unknown => {
        const named = args[at];
        args[at] = named === undefined ? options : { ...told(options), ...Object(named) };
        return Reflect.apply(value, own, args);
      };
    },
  });
}

/** All of them, where some are made when they are asked for. */
const told = ({ signal, partial, background, mostCharacters, reading }: CallOptions): CallOptions =>
  compact({ signal, partial, background, mostCharacters, reading } satisfies {
    readonly [Name in keyof Required<CallOptions>]: unknown;
  });
