import { createHash } from 'node:crypto';
import type { LineageRow } from '@checkpoint-inspector/core';
import { createRedactor, type Redactor } from './redact.ts';
import { readState } from './gather.ts';
import { addMissing, missingWords, type Missing } from './types.ts';
import type { ExportOptions, ExportPreview, Subject } from './types.ts';

const BUNDLE_FORMAT = 'checkpoint-inspector/bundle';
/** States of one bundle in all; what does not fit is named and left out. */
const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;

/**
 * A task as one JSON document, piece by piece: store, task, lineage, then each checkpoint with its exact state text
 * as a JSON string. A masked state says so and keeps the hash of the stored one.
 * @example for await (const piece of bundle(subject, options)) file.write(piece);
 */
export async function* bundle(subject: Subject, options: ExportOptions): AsyncGenerator<string> {
  const { reveal = false, now = new Date() } = options;
  const redactor = createRedactor(reveal);
  const { id, system, label, latestRule, volatilePaths } = subject.source.info;
  const store = redactor.json(JSON.stringify({ id, system, label, latestRule, volatilePaths }));
  yield (
    `{"format":${JSON.stringify(BUNDLE_FORMAT)},"version":1,"exportedAt":${JSON.stringify(now.toISOString())},` +
    `"redacted":${!reveal},\n"store":${store},\n`
  );
  const tally: Tally = { missing: new Map(), bytes: 0 };
  yield* content(subject, redactor, tally);
  const left = redactor.json(JSON.stringify(leftOutOf(subject, tally)));
  yield `,\n"masked":${JSON.stringify(redactor.found())},"leftOut":${left}}\n`;
}

/** Reads what an export would and says what it will mask. */
export async function previewExport(subject: Subject): Promise<ExportPreview> {
  const redactor = createRedactor(false);
  const tally: Tally = { missing: new Map(), bytes: 0 };
  for await (const _ of content(subject, redactor, tally));
  return {
    checkpoints: subject.metas.length,
    sizeBytes: tally.bytes,
    masked: redactor.found(),
    leftOut: leftOutOf(subject, tally).map(redactor.text),
  };
}

/** What was read so far, and which states were not, by the reason. */
interface Tally {
  readonly missing: Missing;
  bytes: number;
}

/** Sentences on what stays out. */
function leftOutOf(subject: Subject, { missing }: Tally): string[] {
  return [...subject.leftOut, ...missingWords(missing)];
}

async function* content(subject: Subject, redactor: Redactor, tally: Tally): AsyncGenerator<string> {
  const masked = (value: unknown): string => redactor.json(JSON.stringify(value));
  yield `"task":${masked(subject.task)},\n"lineage":${masked(await lineageOf(subject))},\n"checkpoints":[`;
  for (const [at, meta] of subject.metas.entries()) {
    const fits = tally.bytes + meta.sizeBytes <= MAX_BUNDLE_BYTES;
    const state = fits ? await readState(subject, meta) : { missing: 'The export has reached its size limit.' };
    if ('missing' in state) addMissing(tally.missing, state.missing, meta.id);
    else tally.bytes += meta.sizeBytes;
    yield `${at === 0 ? '' : ','}\n{"meta":${masked(meta)},"state":${stateText(state, redactor)}}`;
  }
  yield '\n]';
}

function stateText(state: Awaited<ReturnType<typeof readState>>, redactor: Redactor): string {
  if ('missing' in state) return redactor.json(JSON.stringify(state));
  const text = redactor.json(state.text);
  const { derived } = state;
  const hash = createHash('sha256').update(state.text).digest('hex');
  return JSON.stringify({ text, hash, redacted: text !== state.text, ...(derived === undefined ? {} : { derived }) });
}

/** The lineage of the checkpoints that are exported, oldest first. */
export async function lineageOf({ source, task, metas }: Subject): Promise<LineageRow[]> {
  const key = (row: { readonly namespace?: string; readonly id: string }): string =>
    `${row.namespace ?? ''}\n${row.id}`;
  const wanted = new Set(metas.map(key));
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task.id)) if (wanted.has(key(row))) rows.push(row);
  return rows;
}
