/** Entry of a process that reads one database, so that a statement that never ends does not block others. */
import { Worker } from 'node:worker_threads';
import { compact, InspectorError, storeId, type CheckpointSource, type Unwatch } from '@checkpoint-inspector/core';
import { defaultRegistry } from '../stores/registry.ts';
import { METHODS, STREAMS } from './messages.ts';
import type { Answers, BeginCall, Call, FromReader, Method, OpenCall, Stream, ToReader } from './messages.ts';

const NAMES: readonly (Method | Stream)[] = [...METHODS, 'lineage', 'lineageParts'];
const registry = defaultRegistry();
let wanted: OpenCall | undefined;
let sources: CheckpointSource[] = [];
const watched = new Map<number, Unwatch | undefined>();
const streams = new Map<number, { readonly items: AsyncIterator<unknown>; readonly atOnce: number }>();

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
  begin: async (call) => begin(await sourceAt(call.source), call),
  next: async ({ stream }) => nextItems(stream),
  end: async ({ stream }) => {
    await streams.get(stream)?.items.return?.();
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
    send({ id, output, ...(tellsInfo(call) ? { info: sources.map(({ info }) => info) } : {}) });
  } catch (thrown) {
    send({ id, error: InspectorError.from(thrown).toWire().error });
  }
}

/** What a store says of itself is as of the last of these; telling it with each row would cost more than the row. */
const TELL_INFO: ReadonlySet<Method> = new Set(['tasks', 'unlock', 'save', 'plan']);

const tellsInfo = (call: Call): boolean => call.call === 'open' || (call.call === 'ask' && TELL_INFO.has(call.method));

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
  return sources.map((source) => ({ info: source.info, methods: NAMES.filter((name) => name in source) }));
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

function begin(source: CheckpointSource, { what, task, facts, stream }: BeginCall): undefined {
  const items: AsyncIterable<unknown> | undefined = source[what]?.(task, compact({ facts }));
  if (items === undefined) throw new InspectorError('unsupported', `This store has no "${what}".`);
  streams.set(stream, { items: items[Symbol.asyncIterator](), atOnce: STREAMS[what] });
}

async function nextItems(stream: number): Promise<Answers['next']> {
  const from = streams.get(stream);
  // This process is younger than the stream: half of a list must not pass for all of it.
  if (from === undefined) throw new InspectorError('busy', 'The store was reopened while it was being read.');
  const items: unknown[] = [];
  for (;;) {
    const { value, done } = await from.items.next();
    if (done) break;
    items.push(value);
    if (items.length === from.atOnce) return { items, done: false };
  }
  streams.delete(stream);
  return { items, done: true };
}
