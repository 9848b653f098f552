import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  compact,
  createPause,
  InspectorError,
  refKey,
  refOfMeta,
  type Beside,
  type BundleSaved,
  type BundleState,
  type CheckpointMeta,
  type CheckpointRef,
  type LineageRow,
  paced,
  type Masker,
} from '@checkpoint-inspector/core';
import { isOurs } from '../copy/beside.ts';
import { createMasking, keyedHashes, searchedAgain, type KeyedHashes } from '../sharing.ts';
import { hashedInSteps, quotedPieces, STEP } from './long-text.ts';
import { readLineage } from '../stores/trees.ts';
import { readState } from './gather.ts';
import { addMissing, missingWords, type Missing } from './types.ts';
import type { ExportOptions, ExportPreview, ReadState, Subject } from './types.ts';

/** States of one bundle in all; what does not fit is named and left out. */
const MAX_BUNDLE_BYTES = 2 * 1024 * 1024 * 1024;

/**
 * Tasks of one store as one JSON document, in pieces of a few hundred kB: one checkpoint at a time is in memory. A masked
 * state says so and has no hash: what is short could be guessed from one. packages/systems/src/bundle/README.md describes the document.
 * @example for await (const piece of bundle([subject], options)) file.write(piece);
 */
export async function* bundle(
  subjects: readonly Subject[],
  options: Omit<ExportOptions, 'task'> = {},
): AsyncGenerator<string> {
  const { reveal = false, now = new Date(), version, masking = createMasking() } = options;
  const pieces = document(subjects, {
    reveal,
    now,
    masker: masking.masker({ reveal }),
    ...compact({ version, maxBytes: options.maxBytes }),
  });
  yield* reveal ? pieces : searchedAgain(pieces, masking);
}

interface Making extends Pick<ExportOptions, 'maxBytes' | 'version'> {
  readonly reveal: boolean;
  readonly now: Date;
  readonly masker: Masker;
}

async function* document(subjects: readonly Subject[], options: Making): AsyncGenerator<string> {
  const { reveal, now, version, masker } = options;
  const tally: Tally = { missing: new Map(), bytes: 0, most: options.maxBytes ?? MAX_BUNDLE_BYTES };
  const head = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    ...(version === undefined ? {} : { madeBy: `checkpoint-inspector ${version}` }),
    exportedAt: now.toISOString(),
    redacted: !reveal,
  };
  yield `${JSON.stringify(head).slice(0, -1)},\n"store":${storeOf(subjects, masker)},\n"tasks":[`;
  const hashes = reveal ? undefined : keyedHashes();
  yield* gathered(content(subjects, { masker, hashes, tally }));
  const left = masker.json(JSON.stringify(leftOutOf(subjects, tally)));
  yield `],\n"masked":${JSON.stringify(masker.found())},"leftOut":${left}}\n`;
}

/** Each piece is written by itself: small ones go together. */
async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < STEP) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Reads what an export would and says what it will mask, beside what the masker has found before. */
export async function previewExport(
  subjects: readonly Subject[],
  masker: Masker = createMasking().masker(),
): Promise<ExportPreview> {
  const tally: Tally = { missing: new Map(), bytes: 0, most: MAX_BUNDLE_BYTES };
  storeOf(subjects, masker);
  for await (const _ of content(subjects, { masker, tally }));
  return {
    checkpoints: subjects.reduce((sum, { metas }) => sum + metas.length, 0),
    sizeBytes: tally.bytes,
    masked: masker.found(),
    leftOut: leftOutOf(subjects, tally).map(masker.text),
  };
}

/** What was read so far, and which states were not, by the reason. */
interface Tally {
  readonly missing: Missing;
  readonly most: number;
  bytes: number;
}

function storeOf([subject]: readonly Subject[], masker: Masker): string {
  if (subject === undefined) throw new InspectorError('invalid_input', 'Name at least one task.');
  const { system, label, latestRule, volatilePaths } = subject.source.info;
  return masker.json(JSON.stringify({ system, label, latestRule, volatilePaths }));
}

/** Sentences on what stays out. */
function leftOutOf(subjects: readonly Subject[], { missing }: Tally): string[] {
  return [...subjects.flatMap(({ leftOut }) => leftOut), ...missingWords(missing)];
}

async function* content(subjects: readonly Subject[], around: Around): AsyncGenerator<string> {
  const { masker } = around;
  for (const [at, subject] of subjects.entries()) {
    yield `${at === 0 ? '' : ','}\n{"task":${masker.json(JSON.stringify(subject.task))},"checkpoints":[`;
    const parents = new Map((await lineageOf(subject)).map((row) => [keyOf(row), row.parent]));
    for (const [place, meta] of subject.metas.entries()) {
      yield place === 0 ? '\n' : ',\n';
      yield* itemOf(subject, meta, { ...around, parent: parents.get(keyOf(meta)) });
    }
    yield '\n]}';
  }
  yield '\n';
}

interface Around {
  readonly masker: Masker;
  readonly tally: Tally;
  /** Absent: those of the store. */
  readonly hashes?: KeyedHashes | undefined;
  readonly parent?: CheckpointRef | undefined;
}

/** A `BundleCheckpoint` as JSON text. */
async function* itemOf(
  subject: Subject,
  meta: CheckpointMeta,
  { masker, tally, hashes, parent }: Around,
): AsyncGenerator<string> {
  const fits = tally.bytes + meta.sizeBytes <= tally.most;
  const state = fits ? await readState(subject, meta) : { missing: 'The export has reached its size limit.' };
  if ('missing' in state) addMissing(tally.missing, state.missing, meta.id);
  // Its own size: a row may be a small part of the state that is made of it, or packed.
  else tally.bytes += Buffer.byteLength(state.text);
  const kept = 'missing' in state ? {} : await keptBeside(subject, meta, masker);
  const note = subject.notes.get(refKey(refOfMeta(meta)));
  const { store: _, revision, sizeBytes, ...row } = meta;
  const masked = 'missing' in state ? undefined : await paced(masker.jsonInSteps(state.text));
  const isRedacted = masked !== undefined && 'text' in state && masked !== state.text;
  const shown = {
    ...row,
    // The size of what was masked would tell how long it was.
    sizeBytes: isRedacted ? Buffer.byteLength(masked) : sizeBytes,
    ...compact({ revision: revision && (hashes?.(revision) ?? revision) }),
  };
  const facts = masker.json(JSON.stringify({ meta: shown, ...compact({ parent, note }), ...kept }));
  yield `${facts.slice(0, -1)},"state":`;
  yield* stateOf(state, masked, masker);
  yield '}';
}

/** A `BundleState` as JSON text. */
async function* stateOf(state: ReadState, masked: string | undefined, masker: Masker): AsyncGenerator<string> {
  if ('missing' in state) return yield told({ missing: masker.text(state.missing) });
  const pause = createPause();
  const text = masked ?? state.text;
  const { derived } = state;
  const redacted = text !== state.text;
  const hash = redacted ? undefined : await paced(hashedInSteps(state.text), pause);
  yield '{"text":';
  for (const piece of quotedPieces(text)) {
    yield piece;
    await pause();
  }
  const rest = told({ redacted, ...compact({ hash, derived }) });
  yield `,${rest.slice(1)}`;
}

const told = (state: { readonly missing: string } | Omit<Extract<BundleState, { text: string }>, 'text'>): string =>
  JSON.stringify(state);

/** JSON texts inside are masked as such: an escape in them must not hide a secret. */
async function keptBeside(
  { source }: Subject,
  meta: CheckpointMeta,
  masker: Masker,
): Promise<{ beside?: Beside; saved?: BundleSaved }> {
  const ref = refOfMeta(meta);
  const mask = <T extends { readonly text?: string }>(one: T): T =>
    one.text === undefined ? one : { ...one, text: masker.json(one.text) };
  const beside = await source.beside?.(ref);
  const saved = isOurs(source) ? await source.load(ref) : undefined;
  const shown = beside?.writes === undefined ? beside : { ...beside, writes: beside.writes.map(mask) };
  const text = saved?.beside === undefined ? {} : { beside: masker.json(saved.beside) };
  return compact({ beside: shown, saved: saved && { ...text, writes: saved.writes.map(mask) } });
}

const keyOf = (row: { readonly namespace?: string; readonly id: string }): string =>
  JSON.stringify([row.namespace ?? '', row.id]);

/** The lineage of the checkpoints that are exported, oldest first. */
export async function lineageOf({ source, task, metas }: Subject): Promise<LineageRow[]> {
  const wanted = new Set(metas.map(keyOf));
  return (await readLineage(source, task.id)).filter((row) => wanted.has(keyOf(row)));
}
