/**
 * Server-sent events for any number of readers. Ids are `<boot>-<n>`: a reader
 * that comes back with its last id gets what it missed, or `reset` where that
 * is no longer known.
 */
import { randomUUID } from 'node:crypto';
import { compact, type Unwatch } from '@checkpoint-inspector/core';
import type { Inspector } from '@checkpoint-inspector/inspector';

export type EventName = 'change' | 'receipt' | 'stores' | 'proposal';

export interface EventHub {
  publish(name: EventName, data: Readonly<Record<string, string>>): void;
  /** A stream that begins after `lastEventId`, or now. */
  stream(lastEventId?: string): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Readers connected now. */
  readonly size: number;
  /** Ends every stream. */
  close(): void;
}

export interface HubOptions {
  /** Changes with every start of the server. */
  readonly boot?: string;
  /** Events kept for readers that come back. */
  readonly keep?: number;
  /** Bytes that wait for one slow reader before it is dropped. */
  readonly queueBytes?: number;
  readonly pingMs?: number;
}

interface Kept {
  readonly n: number;
  readonly frame: Uint8Array<ArrayBuffer>;
}

type Reader = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

/** JSON escapes CR and LF, names and ids are ours: no field can be forged. */
function frameOf(name: string, data: unknown, id?: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

export function createEventHub(options: HubOptions = {}): EventHub {
  const { boot = randomUUID().slice(0, 8), keep = 1000, queueBytes = 1_000_000, pingMs = 15_000 } = options;
  const readers = new Set<Reader>();
  const kept: Kept[] = [];
  let last = 0;
  let lastAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const send = (reader: Reader, frame: Uint8Array<ArrayBuffer>) => {
    if ((reader.desiredSize ?? 0) >= frame.byteLength) return reader.enqueue(frame);
    leave(reader);
    reader.error(new Error('This client reads too slowly.'));
  };

  const leave = (reader: Reader) => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const join = (reader: Reader) => {
    readers.add(reader);
    timer ??= setInterval(() => broadcast(frameOf('ping', {})), pingMs).unref();
  };

  const broadcast = (frame: Uint8Array<ArrayBuffer>) => {
    for (const reader of readers) send(reader, frame);
  };

  /** Events after the id; `undefined` when some of them are gone or it is of another boot. */
  const missed = (lastEventId: string): Kept[] | undefined => {
    const [, from, n] = /^([0-9a-z]+)-(\d{1,15})$/.exec(lastEventId) ?? [];
    const seen = Number(n);
    const oldest = kept[0]?.n ?? last + 1;
    if (from !== boot || seen > last || seen < oldest - 1) return undefined;
    return kept.filter((event) => event.n > seen);
  };

  return {
    get size() {
      return readers.size;
    },
    publish(name, data) {
      last += 1;
      lastAt = performance.now();
      const frame = frameOf(name, data, `${boot}-${last}`);
      kept.push({ n: last, frame });
      if (kept.length > keep) kept.shift();
      broadcast(frame);
    },
    stream(lastEventId) {
      let own: Reader | undefined;
      const start = (reader: Reader) => {
        own = reader;
        const events = lastEventId === undefined ? [] : missed(lastEventId);
        // The first frame tells the reader its place, so that it can come back even if nothing happens. To a new one it
        // tells how long ago the last event was: what was asked for before that may have been answered too early.
        const first = events === undefined ? 'reset' : 'ping';
        const place = events?.[0] === undefined ? last : events[0].n - 1;
        const idleMs = lastEventId === undefined && lastAt !== undefined ? performance.now() - lastAt : undefined;
        reader.enqueue(frameOf(first, compact({ idleMs }), `${boot}-${place}`));
        for (const event of events ?? []) reader.enqueue(event.frame);
        join(reader);
      };
      const cancel = () => {
        if (own !== undefined) leave(own);
      };
      return new ReadableStream({ start, cancel }, new ByteLengthQueuingStrategy({ highWaterMark: queueBytes }));
    },
    close() {
      for (const reader of readers) {
        leave(reader);
        reader.close();
      }
    },
  };
}

/** Sends what happens in stores and changes to the readers of the hub. */
export function connectEvents(hub: EventHub, from: Pick<Inspector, 'stores' | 'changes' | 'proposals'>): Unwatch {
  const unwatchStores = from.stores.onEvent((event) => {
    if (event.kind === 'stores') return hub.publish('stores', {});
    hub.publish('change', { store: event.store, ...(event.task === undefined ? {} : { task: event.task }) });
  });
  const unwatchChanges = from.changes.onChange(({ store, task, receipt }) => {
    hub.publish('receipt', { store, task, id: receipt.id });
  });
  const unwatchProposals = from.proposals.onChange(({ id }) => hub.publish('proposal', { id }));
  return () => {
    unwatchStores();
    unwatchChanges();
    unwatchProposals();
  };
}
