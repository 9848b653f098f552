import { Worker } from 'node:worker_threads';
import { InspectorError } from '@checkpoint-inspector/core';
import type { CacheOptions } from '../cache/cache.ts';
import { lossOf, type IndexHost, type IndexId, type Reply, type Request } from './contract.ts';

/** In a thread of its own a piece may be longer: only searches wait for it. */
const SLICE_MS = 60;
const HEAP_MB = 1_024;

interface Waiting {
  readonly index: IndexId | undefined;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** A thread, and the indexes that it has. */
interface Running {
  readonly worker: Worker;
  readonly indexes: Set<IndexId>;
  readonly waiting: Map<number, Waiting>;
}

/**
 * Indexes in a thread of their own: what is written holds up no request. When the thread stops, its indexes are lost,
 * and the next one that is opened starts another thread.
 * @example const host = createIndexThread(new URL('./search-index.js', import.meta.url));
 */
export function createIndexThread(entry: URL): IndexHost {
  let running: Running | undefined;
  let last = 0;

  const start = (): Running => {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    worker.unref();
    const started: Running = { worker, indexes: new Set(), waiting: new Map() };
    const stopped = (cause?: Error): void => {
      if (running === started) running = undefined;
      for (const [id, { index, reject }] of started.waiting) {
        started.waiting.delete(id);
        reject(lossOf(index ?? 0, 'stopped', cause));
      }
    };
    worker.on('message', (reply: Reply) => settle(started, reply));
    worker.on('error', stopped);
    worker.on('exit', () => stopped());
    return started;
  };
  const settle = ({ waiting }: Running, reply: Reply): void => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) one?.reject(InspectorError.fromWire(reply.error));
    else one?.resolve(reply.output);
  };
  /** What the thread answers to a request is the output of its handler (worker.ts). */
  const ask = <T>(index: IndexId, requestOf: (id: number) => Request, signal?: AbortSignal): Promise<T> => {
    const at = running;
    if (at === undefined || !at.indexes.has(index)) return Promise.reject(lossOf(index, 'stopped'));
    const id = ++last;
    const cancel = (): void => {
      at.worker.postMessage({ kind: 'cancel', id } satisfies Request, []);
      at.waiting.get(id)?.reject(signal?.reason);
      at.waiting.delete(id);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const answered = new Promise<unknown>((resolve, reject) => {
      at.waiting.set(id, { index, resolve, reject });
      at.worker.postMessage(requestOf(id), []);
    });
    return answered.finally(() => signal?.removeEventListener('abort', cancel)) as Promise<T>;
  };

  return {
    sliceMs: SLICE_MS,
    open(options: CacheOptions) {
      const at = (running ??= start());
      const index = ++last;
      at.indexes.add(index);
      at.worker.postMessage({ kind: 'open', index, options } satisfies Request, []);
      return index;
    },
    run: (place, method, args) => ask(place.index, (id) => ({ kind: 'run', id, place, call: { method, args } })),
    async search(search, signal) {
      signal?.throwIfAborted();
      return ask(search.places[0]?.index ?? 0, (id) => ({ kind: 'search', id, search }), signal);
    },
    async drop(index) {
      const at = running;
      if (at?.indexes.has(index)) await ask(index, (id) => ({ kind: 'drop', id, index }));
      at?.indexes.delete(index);
    },
    async close() {
      const at = running;
      running = undefined;
      if (at === undefined) return;
      await new Promise<unknown>((resolve, reject) => {
        at.waiting.set(++last, { index: undefined, resolve, reject });
        at.worker.postMessage({ kind: 'close', id: last } satisfies Request, []);
      }).catch(() => undefined);
      await at.worker.terminate();
    },
  };
}
