/** A bundle comes from somebody else: each value is taken only where it has its type. */
import type { Beside, PendingRequest, PendingWrite, StepError } from '../contract.ts';
import { compact } from '../compact.ts';
import { parseJson } from '../json/index.ts';
import type { CheckpointRef } from '../model.ts';
import type { NewWrite } from '../saved.ts';
import type { BundleSaved } from './format.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const aText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const aNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const aCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
export const aList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const texts = (value: unknown): string[] => aList(value).filter((one) => typeof one === 'string');

export const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value);

/** ISO 8601 UTC. */
export function aTime(value: unknown): string | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : aText(value);
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});

export function refOf(value: unknown): CheckpointRef | undefined {
  const { task, id, namespace } = recordOf(value);
  if (typeof task !== 'string' || typeof id !== 'string') return undefined;
  return { task, id, ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}) };
}

/** Whether a text can be read as JSON. Python's NaN is read too, but takes longer, as everything else of our own does. */
export const isJson = (text: string): boolean => isReadBy(JSON.parse, text) || isReadBy(parseJson, text);

function isReadBy(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

export function besideOf(value: unknown): Beside | undefined {
  if (!isRecord(value)) return undefined;
  const errors = aList(value['errors']).flatMap(errorOf);
  const writes = aList(value['writes']).flatMap(writeOf);
  return compact({
    error: aText(value['error']),
    errors: errors.length > 0 ? errors : undefined,
    own: value['own'] === true ? (true as const) : undefined,
    requests: aList(value['requests']).flatMap(requestOf),
    writes: Array.isArray(value['writes']) ? writes : undefined,
    moreWrites: aCount(value['moreWrites']),
    next: Array.isArray(value['next']) ? texts(value['next']) : undefined,
  });
}

function errorOf(value: unknown): StepError[] {
  const { text, node } = recordOf(value);
  return typeof text === 'string' ? [compact({ text, node: aText(node) })] : [];
}

function requestOf(value: unknown): PendingRequest[] {
  const { text, id, from, unread } = recordOf(value);
  if (typeof text !== 'string') return [];
  return [{ text, ...compact({ id: aText(id), from: aText(from) }), ...(unread === true && { unread }) }];
}

function writeOf(value: unknown): PendingWrite[] {
  const { taskId, channel, node, text, sizeBytes, problem } = recordOf(value);
  if (typeof taskId !== 'string' || typeof channel !== 'string') return [];
  const isRead = typeof text === 'string' && isJson(text);
  const why = isRead ? undefined : (aText(problem) ?? "It isn't in the bundle.");
  const rest = { node: aText(node), text: isRead ? text : undefined, problem: why };
  return [compact({ taskId, channel, sizeBytes: aCount(sizeBytes) ?? 0, ...rest })];
}

export function savedOf(value: unknown): BundleSaved | undefined {
  if (!isRecord(value)) return undefined;
  const beside = aText(value['beside']);
  const kept = beside !== undefined && isJson(beside) ? { beside } : {};
  return { ...kept, writes: aList(value['writes']).flatMap(newWriteOf) };
}

function newWriteOf(value: unknown): NewWrite[] {
  const { run, index, channel, text, node, path } = recordOf(value);
  if (typeof run !== 'string' || typeof channel !== 'string' || typeof text !== 'string') return [];
  const at = aCount(index);
  if (at === undefined || !isJson(text)) return [];
  return [{ run, index: at, channel, text, ...compact({ node: aText(node), path: aText(path) }) }];
}
