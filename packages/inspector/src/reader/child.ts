/** Entry of a process that reads one database, so that a statement that never ends does not block others. */
import { Worker } from 'node:worker_threads';
import { InspectorError, storeId, type CheckpointSource, type Unwatch } from '@checkpoint-inspector/core';
import { defaultRegistry } from '../stores/registry.ts';
import { METHODS, ROWS_AT_ONCE } from './messages.ts';
import type { Answers, Call, FromReader, Method, OpenCall, ToReader } from './messages.ts';

const registry = defaultRegistry();
let wanted: OpenCall | undefined;
let sources: CheckpointSource[] = [];
const watched = new Map<number, Unwatch | undefined>();
const streams = new Map<number, AsyncIterator<unknown>>();

/** Ends this process with the one that started it, also while a statement runs. */
const WATCHDOG = `const { ppid } = process;
setInterval(() => process.ppid !== ppid && process.kill(process.pid, 'SIGKILL'), 1000);`;

const handlers: { [N in Call['call']]: (call: Extract<Call, { call: N }>) => Promise<Answers[N]> } = {
  detect: async ({ system, target }) => (await registry.system(system)).detect(target),
  open: (call) => open(call),
  ask: async ({ source, method, args }) => ask(await sourceAt(source), method, args),
  watch: async ({ source }) => {
    watch(await sourceAt(source), source);
    return undefined;
  },
  begin: async ({ source, task, stream }) => {
    streams.set(stream, (await sourceAt(source)).lineage(task)[Symbol.asyncIterator]());
    return undefined;
  },
  next: async ({ stream }) => nextRows(stream),
  end: async ({ stream }) => {
    await streams.get(stream)?.return?.();
    streams.delete(stream);
    return undefined;
  },
};

process.on('message', (message: ToReader) => void answer(message));
process.on('disconnect', () => process.exit());
// Ctrl+C reaches the whole group: this process ends with its channel, and takes its private copies away then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('message', () => new Worker(WATCHDOG, { eval: true }).unref());

async function answer({ id, call }: ToReader): Promise<void> {
  try {
    // The table is closed: every name has the handler of its own call.
    const handle = handlers[call.call] as (call: Call) => Promise<unknown>;
    const output = await handle(call);
    send({ id, output, info: sources.map(({ info }) => info) });
  } catch (thrown) {
    send({ id, error: InspectorError.from(thrown).toWire().error });
  }
}

function send(message: FromReader): void {
  process.send?.(message);
}

async function open(call: OpenCall): Promise<Answers['open']> {
  const { system, target, label, location, ids = [] } = call;
  wanted = call;
  for (const unwatch of watched.values()) unwatch?.();
  watched.clear();
  for (const source of sources.splice(0)) await source.close?.();
  let count = 0;
  const nameStore = () => ids[count++] ?? storeId(`s${count}`);
  sources = await (await registry.system(system)).open(target, { label, location, nameStore });
  sources.forEach((source, at) => call.watched?.includes(at) && watch(source, at));
  return sources.map((source) => ({ info: source.info, methods: METHODS.filter((name) => name in source) }));
}

function ask(source: CheckpointSource, method: Method, args: readonly unknown[]): Promise<unknown> {
  const call: unknown = Reflect.get(source, method);
  if (typeof call !== 'function') throw new InspectorError('unsupported', `This store has no "${method}".`);
  return Promise.resolve(Reflect.apply(call, source, args));
}

function watch(source: CheckpointSource, at: number): void {
  if (!watched.has(at))
    watched.set(
      at,
      source.watch?.((changed) => send({ changed, source: at })),
    );
}

async function sourceAt(at: number): Promise<CheckpointSource> {
  if (sources.length === 0 && wanted) await open(wanted);
  const source = sources[at];
  if (source) return source;
  throw new InspectorError('no_store', 'The store has fewer projects than before.');
}

async function nextRows(stream: number): Promise<Answers['next']> {
  const iterator = streams.get(stream);
  // This process is younger than the stream: half of a list must not pass for all of it.
  if (iterator === undefined) throw new InspectorError('busy', 'The store was reopened while it was being read.');
  const rows: unknown[] = [];
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) break;
    rows.push(value);
    if (rows.length === ROWS_AT_ONCE) return { rows, done: false };
  }
  streams.delete(stream);
  return { rows, done: true };
}
