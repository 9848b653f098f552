import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { InspectorError, type StoreEvent, type StoreInfo } from '@checkpoint-inspector/core';
import type { Answers, Call, FromReader } from './messages.ts';
import { CallQueue } from './queue.ts';

export interface ReaderOptions {
  /** The built `child.ts`. */
  readonly entry: URL;
  /** Of the store or file, for messages. */
  readonly label: string;
  /** Calls that the process has at a time, default 1: a long one lets others in between where it can. */
  readonly atOnce?: number;
  /** How long nothing may be answered while something is asked. */
  readonly limitMs: number;
  /** After a call that took too long nothing is tried for so long, then twice as long; 0: the next one is tried. */
  readonly restMs: number;
  /** Without calls the process ends after so long; default: it stays. */
  readonly idleMs?: number;
  /** The first call of every new process. Where it fails, the next call tries it once more and tells why. */
  readonly setup?: () => Call | undefined;
  readonly onInfo?: (info: readonly StoreInfo[]) => void;
  readonly onChange?: (source: number, change: StoreEvent) => void;
  /** The process ended, and not because it was closed; the next call may come after so long. */
  readonly onEnd?: (waitMs: number) => void;
}

/** A process that was told to end and did not is stuck. */
const LEAVE_MS = 1_000;
/** A process that crashed is followed by another one after so long. */
const CRASH_MS = 200;
const LONGEST_REST_MS = 15 * 60_000;

interface Waiting {
  readonly call: Call;
  readonly background: boolean;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/**
 * A process that answers calls. When it answers nothing for too long it is ended, and a new process continues with the
 * next call: no statement on a database of others can hold up this program.
 */
export class ReaderProcess {
  readonly #options: ReaderOptions;
  readonly #queue = new CallQueue<Waiting>();
  #child: ChildProcess | undefined;
  /** Calls that the process has, by their number. */
  readonly #running = new Map<number, Waiting>();
  /** Number of the first call of all, until the process has taken it. */
  #setup: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Runs while background calls rest. */
  #resting: NodeJS.Timeout | undefined;
  #last = 0;
  /** Nothing is tried for so long, and answered with the reason. */
  #rest: { readonly until: number; readonly ms: number; readonly error: InspectorError } | undefined;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Calls that are not answered yet. */
  get waiting(): number {
    return this.#queue.length + this.#running.size;
  }

  /**
   * @param background nobody waits for it: other calls come first
   * @throws InspectorError as the process answered; busy when it took too long or ended
   */
  ask<C extends Call>(call: C, background = false): Promise<Answers[C['call']]> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(this.#wasClosed());
      if (this.#rest && this.#rest.until > Date.now()) return reject(this.#rest.error);
      this.#queue.push({ call, background, resolve, reject });
      this.#pump();
      // What the process answers to a call is the output of its handler (child.ts).
    }) as Promise<Answers[C['call']]>;
  }

  close(): void {
    this.#closed = true;
    const late = this.#queue.clear();
    this.#end(this.#wasClosed());
    for (const { reject } of late) reject(this.#wasClosed());
  }

  #pump(): void {
    const { atOnce = 1, setup } = this.#options;
    clearTimeout(this.#resting);
    while (!this.#closed && this.#setup === undefined && this.#queue.isReady && this.#running.size < atOnce) {
      clearTimeout(this.#idle);
      const first = this.#child === undefined ? setup?.() : undefined;
      const child = (this.#child ??= this.#start());
      child.ref();
      child.channel?.ref();
      if (first) this.#setup = this.#send(child, first);
      else {
        const next = this.#queue.take();
        if (next) this.#running.set(this.#send(child, next.call), next);
      }
    }
    if (this.#closed) return;
    // Where nothing rests, the next answer gives out what waits.
    const restMs = this.#queue.restMs();
    if (restMs) this.#resting = setTimeout(() => this.#pump(), Math.ceil(restMs)).unref();
    if (!this.#isBusy() && this.#queue.length === 0) this.#whenIdle();
  }

  #isBusy(): boolean {
    return this.#setup !== undefined || this.#running.size > 0;
  }

  #send(child: ChildProcess, call: Call): number {
    if (!this.#isBusy()) this.#expect();
    child.send({ id: ++this.#last, call });
    return this.#last;
  }

  /** From now on, an answer has to come within the limit. */
  #expect(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), this.#options.limitMs);
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(this.#options.entry), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    child.on('message', (message: FromReader) => this.#child === child && this.#take(message));
    child.on('error', (cause) => this.#child === child && this.#fail(this.#ended(cause), CRASH_MS));
    child.on('exit', () => this.#child === child && this.#fail(this.#ended(undefined), CRASH_MS));
    return child;
  }

  #take(message: FromReader): void {
    if ('changed' in message) return this.#options.onChange?.(message.source, message.changed);
    const isSetup = this.#setup === message.id;
    const waiting = this.#running.get(message.id);
    if (!isSetup && waiting === undefined) return;
    if (isSetup) this.#setup = undefined;
    this.#running.delete(message.id);
    if (this.#isBusy()) this.#expect();
    else clearTimeout(this.#timer);
    if (waiting) this.#queue.ended(waiting);
    if (waiting) this.#settle(waiting, message);
    this.#pump();
  }

  #settle({ resolve, reject }: Waiting, message: Exclude<FromReader, { changed: unknown }>): void {
    this.#rest = undefined;
    if ('error' in message) return reject(InspectorError.fromWire(message.error));
    if (message.info) this.#options.onInfo?.(message.info);
    resolve(message.output);
  }

  #giveUp(): void {
    this.#child?.kill('SIGKILL');
    this.#fail(this.#tooSlow(), this.#options.restMs);
  }

  /** The process is of no use: it rests, twice as long each time, until a call is answered again. */
  #fail(error: InspectorError, restMs: number): void {
    if (this.#options.restMs === 0) return this.#end(error);
    const ms = Math.min(Math.max(2 * (this.#rest?.ms ?? 0), restMs), LONGEST_REST_MS);
    this.#rest = { until: Date.now() + ms, ms, error };
    const late = this.#queue.clear();
    this.#end(error);
    for (const { reject } of late) reject(error);
  }

  /** Lets the process end, which takes its private copies away; only the calls that it has fail with `error`. */
  #end(error: Error): void {
    const child = this.#child;
    this.#child = undefined;
    if (child?.connected) child.disconnect();
    if (child) setTimeout(() => child.kill('SIGKILL'), LEAVE_MS).unref();
    const running = [...this.#running.values()];
    this.#running.clear();
    this.#setup = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#idle);
    for (const waiting of running) {
      this.#queue.ended(waiting);
      waiting.reject(error);
    }
    if (child && !this.#closed) this.#options.onEnd?.(Math.max(0, (this.#rest?.until ?? 0) - Date.now()));
    this.#pump();
  }

  #whenIdle(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#child === undefined) return;
    this.#idle = setTimeout(() => this.#end(this.#ended(undefined)), idleMs).unref();
  }

  #wasClosed(): InspectorError {
    return new InspectorError('no_store', `${this.#options.label} was closed.`);
  }

  #tooSlow(): InspectorError {
    const { label, limitMs } = this.#options;
    return new InspectorError(
      'busy',
      `${label} is slow: it didn't answer within ${limitMs / 1000} s and was stopped.`,
      {
        remedy: 'Other stores are not affected. The inspector will try again later. Check what the database contains.',
        data: { limitMs },
      },
    );
  }

  #ended(cause: unknown): InspectorError {
    const message = `The process that reads ${this.#options.label} ended unexpectedly.`;
    return new InspectorError('busy', message, cause === undefined ? {} : { cause });
  }
}
