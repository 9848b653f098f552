import type { StoreEvent, CheckpointSource, OpenOptions, StoreId, StoreInfo, System } from '@checkpoint-inspector/core';
import { keptAnswers, type KeptAnswers } from './kept.ts';
import type { OpenCall } from './messages.ts';
import { ReaderProcess } from './process.ts';
import { remoteSource } from './source.ts';

export interface IsolationOptions {
  /** The built `child.ts`. */
  readonly entry: URL;
  /** Default 10 s: how long it may take to say what a file is. */
  readonly detectMs?: number;
  /** Default 60 s: how long nothing may be answered. */
  readonly limitMs?: number;
  /** Default 30 s: nothing is tried for so long after an answer that took too long. */
  readonly restMs?: number;
}

/** Processes that say what files are; they go away when nobody asks. */
const SCOUTS = 2;
const IDLE_MS = 5_000;
/** A list that is read in the background holds nothing else up. */
const AT_ONCE = 16;

export type Isolate = (id: string, label: string) => System;

/**
 * Systems whose databases are read in processes of their own, one for each store: a statement that never ends, an
 * enormous table or a crash of the driver stays there. A system is known there by its id (child.ts).
 * @example const registry = defaultRegistry(createIsolation({ entry: new URL('./store-reader.js', import.meta.url) }));
 */
export function createIsolation(options: IsolationOptions): Isolate {
  const { entry, detectMs: limitMs = 10_000 } = options;
  const scouts = Array.from(
    { length: SCOUTS },
    () => new ReaderProcess({ entry, label: 'This file', limitMs, restMs: 0, idleMs: IDLE_MS }),
  );
  return (system, label) => ({
    id: system,
    label,
    detect: async (target) => {
      if (target.kind !== 'path' || target.is !== 'file') return undefined;
      const [scout] = scouts.toSorted((a, b) => a.waiting - b.waiting);
      return scout?.ask({ call: 'detect', system, target });
    },
    open: (target, given) => openStore(options, { call: 'open', system, target }, given),
  });
}

/** @throws InspectorError what the system's reader throws | busy */
async function openStore(
  { entry, limitMs = 60_000, restMs = 30_000 }: IsolationOptions,
  what: Pick<OpenCall, 'call' | 'system' | 'target'>,
  { label, location, nameStore }: OpenOptions,
): Promise<CheckpointSource[]> {
  const call: OpenCall = { ...what, label, location };
  const listeners = new Map<number, Set<(event: StoreEvent) => void>>();
  let ids: StoreId[] | undefined;
  let infos: readonly StoreInfo[] = [];
  let kept: readonly (KeptAnswers | undefined)[] = [];
  /** Watched from the start: what is saved before the first listener comes must not be missed. */
  const whole = (known: readonly StoreId[]): OpenCall => ({ ...call, ids: known, watched: known.map((_id, at) => at) });
  /** A new process watches again from its first call on. */
  const watchAgain = (waitMs: number): void => {
    if (ids === undefined) return;
    setTimeout(() => void reader.ask({ call: 'watch', source: 0 }).catch(() => undefined), waitMs + 100).unref();
  };
  const reader = new ReaderProcess({
    entry,
    label,
    limitMs,
    restMs,
    atOnce: AT_ONCE,
    setup: () => ids && whole(ids),
    onInfo: (info) => (infos = info),
    onChange: (source, change) => {
      kept[source]?.clear();
      listeners.get(source)?.forEach((tell) => tell(change));
    },
    onEnd: watchAgain,
  });
  try {
    // How many there are and what they are called is known once it is open; the ids are given here.
    const found = await reader.ask(call);
    ids = found.map(({ info }) => nameStore(info.label));
    const opened = await reader.ask(whole(ids));
    let left = opened.length;
    kept = await Promise.all(opened.map(() => keptAnswers(what.target)));
    return opened.map((one, at) =>
      remoteSource(
        {
          reader,
          at,
          kept: kept[at],
          info: () => infos[at] ?? one.info,
          watch: (listener) => {
            listeners.set(at, new Set([...(listeners.get(at) ?? []), listener]));
            return () => void listeners.get(at)?.delete(listener);
          },
          close: () => void (--left === 0 && reader.close()),
        },
        one,
      ),
    );
  } catch (error) {
    reader.close();
    throw error;
  }
}
