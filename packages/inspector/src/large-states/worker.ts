/** Entry of the thread that reads large states. It opens the same stores read-only, for itself. */
import { parentPort } from 'node:worker_threads';
import { InspectorError, shownTarget, storeId, type CheckpointSource, type System } from '@checkpoint-inspector/core';
import { defaultRegistry } from '../stores/registry.ts';
import { createAnswers } from './answers.ts';
import { transferOf, type FromWorker, type ToWorker } from './types.ts';
import { Texts } from './texts.ts';
import { isDeepStrictEqual } from 'node:util';
import type { StoreOrigin } from '../stores/types.ts';

if (parentPort === null) throw new Error('This file runs in a worker thread.');
const port = parentPort;
const opened = openedStores(defaultRegistry());
const texts = new Texts(({ store }) => opened.source(store));
const answers = createAnswers(texts, (store) => opened.source(store));
const running = new Map<number, AbortController>();

port.on('message', (message: ToWorker) => {
  if (message.kind === 'cancel') running.get(message.id)?.abort();
  else if (message.kind === 'ask') void answer(message);
  else {
    texts.forget(message.store);
    void opened.forget(message.store);
  }
});

async function answer({ id, name, input, origins }: Extract<ToWorker, { kind: 'ask' }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    for (const origin of origins) opened.know(origin);
    const output = await answers.ask(name, input, stop.signal, (part) => send({ id, part }));
    send({ id, output });
  } catch (thrown) {
    send({ id, error: InspectorError.from(thrown).toWire().error });
  } finally {
    running.delete(id);
  }
}

function send(message: FromWorker): void {
  port.postMessage(message, 'output' in message ? transferOf(message.output) : []);
}

/** The systems by their ids; the registry has them. */
interface Systems {
  system(id: string): Promise<System>;
}

interface Opened {
  readonly origin: StoreOrigin;
  readonly source: Promise<CheckpointSource>;
}

function openedStores(systems: Systems) {
  const stores = new Map<string, Opened>();
  const forget = async (store: string): Promise<void> => {
    const known = stores.get(store);
    stores.delete(store);
    const source = await known?.source.catch(() => undefined);
    await source?.close?.();
  };
  return {
    /** Opens the store unless it is open in just this way. */
    know(origin: StoreOrigin): void {
      const known = stores.get(origin.id);
      if (known && isSamePlace(known.origin, origin) && known.origin.key === origin.key) return;
      void forget(origin.id);
      const source = openOne(systems, origin);
      // A failure is told to whoever asks, and the next question tries again.
      source.catch(() => stores.delete(origin.id));
      stores.set(origin.id, { origin, source });
    },
    source(store: string): Promise<CheckpointSource> {
      const known = stores.get(store);
      if (known) return known.source;
      return Promise.reject(new InspectorError('not_found', `No store "${store}" is open.`, { data: { store } }));
    },
    forget,
  };
}

const isSamePlace = (a: StoreOrigin, b: StoreOrigin): boolean =>
  a.as.system === b.as.system && isDeepStrictEqual(a.as.target, b.as.target);

/** @throws InspectorError not_found and what the system's reader throws */
async function openOne(systems: Systems, { as, label, location, key }: StoreOrigin) {
  let count = 0;
  const system = await systems.system(as.system);
  const nameStore = () => storeId(`s${count++}`);
  const sources = await system.open(as.target, {
    label: as.label,
    location: location ?? shownTarget(as.target),
    nameStore,
  });
  // Several projects of one database: each is called by its own name.
  const own = sources.length === 1 ? sources[0] : sources.find(({ info }) => info.label === label);
  await Promise.all(sources.filter((source) => source !== own).map(async (source) => source.close?.()));
  if (own === undefined) throw new InspectorError('not_found', `The store "${label}" is no longer where it was.`);
  if (key !== undefined) await own.unlock?.(key);
  return own;
}
