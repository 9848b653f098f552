import type { Trigger } from '@checkpoint-inspector/core';
import { isRecord, parseLoosely, recordOf } from './shape.ts';

/** Key that our restore adds; LangGraph ignores keys that it does not know. */
export const RESTORED_FROM = 'restored_from';

export interface Metadata {
  readonly step?: number;
  readonly trigger?: Trigger;
  /** `source` as it is stored. */
  readonly source?: string;
  /** For a subgraph: the checkpoint of each graph around it, by namespace. */
  readonly parents: Readonly<Record<string, unknown>>;
  /** Channels of which only changes are stored (delta channels). */
  readonly deltaChannels: readonly string[];
}

const TRIGGERS: Readonly<Record<string, Trigger>> = { input: 'input', loop: 'auto', update: 'update', fork: 'fork' };

/** `undefined` when the text is no JSON object. */
export function readMetadata(text: string | null): Metadata | undefined {
  const value = parseOrNothing(text);
  if (!isRecord(value)) return undefined;
  const { source, step } = value;
  const trigger = RESTORED_FROM in value ? 'restore' : typeof source === 'string' ? TRIGGERS[source] : undefined;
  return {
    ...(typeof step === 'number' && Number.isSafeInteger(step) ? { step } : {}),
    ...(trigger === undefined ? {} : { trigger }),
    ...(typeof source === 'string' ? { source } : {}),
    parents: recordOf(value['parents']),
    deltaChannels: Object.keys(recordOf(value['counters_since_delta_snapshot'])),
  };
}

function parseOrNothing(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return parseLoosely(text);
  } catch {
    return undefined;
  }
}

/** The checkpoint of the surrounding graph that a subgraph's first checkpoint hangs under. */
export function outerParent(metadata: Metadata | undefined, ns: string): { ns: string; id: string } | undefined {
  if (ns === '' || metadata === undefined) return undefined;
  const around = ns.includes('|') ? ns.slice(0, ns.lastIndexOf('|')) : '';
  for (const outer of [around, '']) {
    const id = Object.hasOwn(metadata.parents, outer) ? metadata.parents[outer] : undefined;
    if (typeof id === 'string') return { ns: outer, id };
  }
  return undefined;
}
