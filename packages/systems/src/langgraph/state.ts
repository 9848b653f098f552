import { InspectorError, sourceOf } from '@checkpoint-inspector/core';
import { assembleDeltas } from './delta.ts';
import { readMetadata, type Metadata } from './metadata.ts';
import { NO_METADATA, parseCheckpoint, payloadText } from './payload.ts';
import type { FullRow, Queries } from './queries.ts';

/**
 * The state of a row as JSON text: the exact slice of `channel_values`, unless delta channels had to be put together.
 * @throws InspectorError unreadable (`data.offset` in bytes) | unsupported_version
 */
export function readState(queries: Queries, thread: string, row: FullRow): { text: string; derived?: string } {
  const text = payloadText({ ...row, bytes: row.checkpoint });
  try {
    const parsed = parseCheckpoint(text);
    // LangGraph reads both or none, and delta channels cannot be told without it.
    const { metadata } = soundMetadata(row);
    const assembled = assembleDeltas(queries, thread, row, parsed, metadata.deltaChannels);
    return assembled ?? { text: sourceOf(text, parsed.channelValues) };
  } catch (error) {
    throw withByteOffset(error, text);
  }
}

/** @throws InspectorError unreadable, where a row holds none */
export function soundMetadata(row: FullRow): { text: string; metadata: Metadata } {
  const text = metadataText(row);
  const metadata = readMetadata(text);
  if (text === null || metadata === undefined) {
    throw new InspectorError('unreadable', NO_METADATA);
  }
  return { text, metadata };
}

export function metadataText(row: FullRow): string | null {
  return row.metadata === null ? null : Buffer.from(row.metadata).toString('utf8');
}

function withByteOffset(error: unknown, text: string): unknown {
  if (!InspectorError.is(error) || typeof error.data?.['offset'] !== 'number') return error;
  const offset = Buffer.byteLength(text.slice(0, error.data['offset']));
  return new InspectorError(error.code, error.message, { cause: error, data: { offset } });
}
