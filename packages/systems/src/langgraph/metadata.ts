import type { Trigger } from '@checkpoint-inspector/core';
import { isRecord, recordOf } from '../folder/view.ts';
import { parseLoosely } from './shape.ts';

/** Key that our restore adds; LangGraph ignores keys that it does not know. */
export const RESTORED_FROM = 'restored_from';
/** Keys that our edit adds. */
export const EDITED_FROM = 'edited_from';
export const EDITED_BY = 'edited_by';
export const EDIT_REASON = 'edit_reason';

/** A tree reads many: all have the same members, so that none is copied to leave some out. */
export interface Metadata {
  readonly step: number | undefined;
  readonly trigger: Trigger | undefined;
  /** `source` as stored. */
  readonly source: string | undefined;
  /** Who edited it and why; only where an edit made it. */
  readonly edited: { readonly author?: string; readonly reason?: string } | undefined;
  /** For a subgraph: the checkpoint of each graph around it, by namespace. */
  readonly parents: Readonly<Record<string, unknown>>;
  /** Channels of which only changes are stored (delta channels). */
  readonly deltaChannels: readonly string[];
}

const NONE: readonly string[] = [];
const TRIGGERS: Readonly<Record<string, Trigger>> = { input: 'input', loop: 'auto', update: 'update', fork: 'fork' };

/** `undefined` when the text is not JSON object. */
export function readMetadata(text: string | null): Metadata | undefined {
  const value = parseOrNothing(text);
  if (!isRecord(value)) return undefined;
  const { source, step } = value;
  const trigger = triggerOf(value);
  const counters = value['counters_since_delta_snapshot'];
  return {
    step: typeof step === 'number' && Number.isSafeInteger(step) ? step : undefined,
    trigger,
    source: typeof source === 'string' ? source : undefined,
    edited: trigger === 'edit' ? editedOf(value) : undefined,
    parents: recordOf(value['parents']),
    deltaChannels: counters === undefined ? NONE : Object.keys(recordOf(counters)),
  };
}

/** A copy of the row carries our keys on; its `source` tells what made it. */
function triggerOf(value: Readonly<Record<string, unknown>>): Trigger | undefined {
  const { source } = value;
  if (source === 'update' && EDITED_FROM in value) return 'edit';
  if (source !== 'update' && RESTORED_FROM in value) return 'restore';
  return typeof source === 'string' ? TRIGGERS[source] : undefined;
}

function editedOf(value: Readonly<Record<string, unknown>>): { author?: string; reason?: string } {
  const { [EDITED_BY]: author, [EDIT_REASON]: reason } = value;
  return {
    ...(typeof author === 'string' ? { author } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
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
