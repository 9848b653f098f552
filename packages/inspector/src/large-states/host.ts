/** Keeps one thread for large states: started when needed, started again after a crash, ended when idle. */
import { Worker } from 'node:worker_threads';
import { InspectorError } from '@checkpoint-inspector/core';
import { HEAP_MB, IDLE_MS, TIME_LIMIT_MS } from './limits.ts';
import { transferOf, type FromWorker, type QuestionName, type Questions, type ToWorker } from './types.ts';
import type { StoreOrigin } from '../stores/types.ts';

export interface HostOptions {
  readonly url: URL;
  readonly idleMs?: number;
  readonly timeLimitMs?: number;
  /** For work that cannot be interrupted: the thread ends with the last question that is cancelled. */
  readonly endsWhenGivenUp?: boolean;
}

interface Waiting {
  resolve(output: Questions[QuestionName]['out']): void;
  reject(error: Error): void;
  part?: ((output: Questions[QuestionName]['out']) => void) | undefined;
  readonly timer: NodeJS.Timeout;
}

export class WorkerHost {
  readonly #options: Required<HostOptions>;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;

  constructor({ url, idleMs = IDLE_MS, timeLimitMs = TIME_LIMIT_MS, endsWhenGivenUp = false }: HostOptions) {
    this.#options = { url, idleMs, timeLimitMs, endsWhenGivenUp };
  }

  /** True while a thread runs. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** @param part hears what is known so far, of questions that tell it. @throws InspectorError as the thread answered; too_large after the time limit or for want of memory */
  ask<N extends QuestionName>(
    name: N,
    input: Questions[N]['in'],
    origins: readonly StoreOrigin[],
    signal?: AbortSignal,
    part?: (output: Questions[N]['out']) => void,
  ): Promise<Questions[N]['out']> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(givenUp());
      const timer = setTimeout(() => this.#giveUpOn(id), this.#options.timeLimitMs);
      const cancel = () => this.#cancel(id);
      signal?.addEventListener('abort', cancel, { once: true });
      const done = () => signal?.removeEventListener('abort', cancel);
      this.#waiting.set(id, {
        resolve: (output) => (done(), resolve(output)),
        reject: (error) => (done(), reject(error)),
        part,
        timer,
      });
      this.#post({ kind: 'ask', id, name, input, origins });
    });
  }

  /** Starts the thread before the first question. */
  warm(): void {
    this.#start();
    this.#rest();
  }

  forget(store: string): void {
    if (this.#worker) this.#post({ kind: 'forget', store });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#end(new InspectorError('busy', 'The store was closed in the meantime.'));
    await worker?.terminate();
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#options.url, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    // The process may end while the thread waits.
    worker.unref();
    worker.on('message', (message: FromWorker) => this.#settle(message));
    worker.on('error', (error: Error) => this.#worker === worker && this.#end(crashed(error)));
    worker.on('exit', () => this.#worker === worker && this.#end(crashed(undefined)));
    this.#worker = worker;
    return worker;
  }

  #post(message: ToWorker): void {
    clearTimeout(this.#idle);
    this.#start().postMessage(message, message.kind === 'ask' ? transferOf(message.input) : []);
    if (message.kind === 'forget') this.#rest();
  }

  #settle(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if ('part' in message) return waiting?.part?.(message.part);
    this.#waiting.delete(message.id);
    clearTimeout(waiting?.timer);
    if ('error' in message) waiting?.reject(InspectorError.fromWire(message.error));
    else waiting?.resolve(message.output);
    this.#rest();
  }

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.reject(givenUp());
    if (this.#options.endsWhenGivenUp && this.#waiting.size === 0) this.#end(givenUp());
    else this.#post({ kind: 'cancel', id });
    this.#rest();
  }

  /** It may be stuck: the thread goes, and only this question is to blame. */
  #giveUpOn(id: number): void {
    this.#waiting.get(id)?.reject(tooSlow(this.#options.timeLimitMs));
    this.#waiting.delete(id);
    this.#end(crashed(undefined));
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#waiting.size > 0 || this.#worker === undefined) return;
    this.#idle = setTimeout(() => this.#end(givenUp()), this.#options.idleMs).unref();
  }

  /** Ends the thread; every question that waits fails with `error`. */
  #end(error: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
    void worker?.terminate();
  }
}

const givenUp = (): Error => new DOMException('The request was cancelled.', 'AbortError');

const tooSlow = (ms: number): InspectorError =>
  new InspectorError('too_large', `Reading this state took longer than ${Math.round(ms / 1000)} s.`, {
    remedy: 'Download the state and open it in another program.',
  });

function crashed(cause: Error | undefined): InspectorError {
  if (cause !== undefined && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new InspectorError('too_large', 'There is not enough memory for this state.', { cause });
  }
  return new InspectorError('busy', 'The thread that reads large states stopped and is being restarted.', { cause });
}
