import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { InspectorError, type StoreEvent, type StoreInfo } from '@checkpoint-inspector/core';
import { fromWire } from '../errors.ts';
import type { Answers, Call, FromReader } from './messages.ts';

export interface ReaderOptions {
  /** The built `child.ts`. */
  readonly entry: URL;
  /** Of the store or file, for messages. */
  readonly label: string;
  /** How long one call may take. */
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
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/**
 * A process that answers one call after the other. One that takes too long is ended with it, and a new process continues
 * with the next call: no statement on a database of others can hold up this program.
 */
export class ReaderProcess {
  readonly #options: ReaderOptions;
  readonly #queue: Waiting[] = [];
  #child: ChildProcess | undefined;
  /** The call that is answered next; `isSetUp` once its process has taken the first call of all. */
  #running: { readonly waiting: Waiting; readonly isSetUp: boolean; readonly timer: NodeJS.Timeout } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  /** Nothing is tried for so long, and answered with the reason. */
  #rest: { readonly until: number; readonly ms: number; readonly error: InspectorError } | undefined;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Calls that are not answered yet. */
  get waiting(): number {
    return this.#queue.length + (this.#running ? 1 : 0);
  }

  /** @throws InspectorError as the process answered; busy when it took too long or ended */
  ask<C extends Call>(call: C): Promise<Answers[C['call']]> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(this.#wasClosed());
      if (this.#rest && this.#rest.until > Date.now()) return reject(this.#rest.error);
      this.#queue.push({ call, resolve, reject });
      this.#pump();
      // What the process answers to a call is the output of its handler (child.ts).
    }) as Promise<Answers[C['call']]>;
  }

  close(): void {
    this.#closed = true;
    const late = this.#queue.splice(0);
    this.#end(this.#wasClosed());
    for (const { reject } of late) reject(this.#wasClosed());
  }

  #pump(): void {
    if (this.#running || this.#closed) return;
    const next = this.#queue.shift();
    clearTimeout(this.#idle);
    if (next === undefined) return this.#whenIdle();
    const setup = this.#child === undefined ? this.#options.setup?.() : undefined;
    this.#child ??= this.#start();
    this.#child.ref();
    this.#child.channel?.ref();
    this.#send(this.#child, setup ?? next.call, { waiting: next, isSetUp: setup === undefined });
  }

  #send(child: ChildProcess, call: Call, running: { readonly waiting: Waiting; readonly isSetUp: boolean }): void {
    this.#running = { ...running, timer: setTimeout(() => this.#giveUp(), this.#options.limitMs) };
    child.send({ id: ++this.#last, call });
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
    if (this.#running === undefined || message.id !== this.#last) return;
    const { waiting, isSetUp, timer } = this.#running;
    clearTimeout(timer);
    if (!isSetUp && this.#child) return this.#send(this.#child, waiting.call, { waiting, isSetUp: true });
    this.#running = undefined;
    this.#rest = undefined;
    if ('error' in message) waiting.reject(fromWire(message.error));
    else {
      this.#options.onInfo?.(message.info ?? []);
      waiting.resolve(message.output);
    }
    this.#pump();
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
    const late = this.#queue.splice(0);
    this.#end(error);
    for (const { reject } of late) reject(error);
  }

  /** Lets the process end, which takes its private copies away; only the call that runs fails with `error`. */
  #end(error: Error): void {
    const child = this.#child;
    this.#child = undefined;
    if (child?.connected) child.disconnect();
    if (child) setTimeout(() => child.kill('SIGKILL'), LEAVE_MS).unref();
    const running = this.#running;
    this.#running = undefined;
    clearTimeout(running?.timer);
    clearTimeout(this.#idle);
    running?.waiting.reject(error);
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
