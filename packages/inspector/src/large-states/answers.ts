/** Answers about states of any size, in whichever thread this runs. */
import { createHash } from 'node:crypto';
import {
  blobAt,
  blobDigits,
  compact,
  diffJson,
  findInJson,
  InspectorError,
  isChangeable,
  locate,
  locateValue,
  parsePath,
  partOf,
  placeAfter,
} from '@checkpoint-inspector/core';
import type {
  BlobNote,
  CheckpointSource,
  Diff,
  JsonMatch,
  PartChild,
  Plan,
  StoreId,
  ValueNote,
} from '@checkpoint-inspector/core';
import { pausing } from '../explain/branch.ts';
import { explainBranch } from '../explain/explain.ts';
import { stepChange } from '../export/step-change.ts';
import { rowsOfWay } from '../history/steps.ts';
import { BLOB_BYTES, DIFF_ANSWER_BYTES, FIND_MS, PIECE, SLICE_MS } from './limits.ts';
import type { KeptText, Texts } from './texts.ts';
import type {
  Answers,
  Blob,
  CopyRequest,
  FindAnswer,
  FindStateQuery,
  PartAnswer,
  QuestionName,
  Questions,
  StateAt,
  TextHead,
} from './types.ts';

type Answer<N extends QuestionName> = (
  input: Questions[N]['in'],
  signal?: AbortSignal,
  part?: (output: Questions[N]['out']) => void,
) => Promise<Questions[N]['out']>;
type Table = { readonly [N in QuestionName]: Answer<N> };

/** Hashes of blobs are told at once up to so many bytes in an answer; a larger one when it is asked for alone. */
const HASHED_BYTES = 1_000_000;

/** @param find the open store */
export function createAnswers(texts: Texts, find: (store: StoreId) => Promise<CheckpointSource>): Answers {
  const table: Table = {
    text: async (at) => headOf(await texts.text(at), at.path),
    piece: async ({ from, to, ...at }) => pieceOf((await texts.text(at)).text, from, to),
    part: async ({ query, ...at }) => answerPart(await texts.text(at), query),
    find: async ({ query, ...at }, signal) => findSliced(await texts.text(at), query, signal),
    blob: async ({ path, ...at }) => decoded(await texts.text(at), path),
    raw: async (at) => {
      const { bytes, hash } = await texts.raw(at);
      return { bytes: bytes.length, hash };
    },
    rawPiece: async ({ rawHash, from, to, ...at }) => ({
      bytes: new Uint8Array((await texts.raw(at, rawHash)).bytes.subarray(from, to)),
    }),
    steps: (way) =>
      rowsOfWay({
        ...way,
        read: async (at) => (await texts.text(at)).text,
        compare: async (a, b) => (await texts.diff(a, b, way.ignore))?.items,
      }),
    value: async ({ path, ...at }) => {
      const { text, hash } = await texts.text(at);
      return compact({ value: locate(text, path), revision: hash });
    },
    place: async ({ one, other, path }) => {
      const [before, after] = [await texts.text(one), await texts.text(other)];
      return compact({ place: placeAfter(before.text, after.text, path) });
    },
    change: async ({ a, b, ignore, description }) => {
      const [before, after] = [await texts.text(a), await texts.text(b)];
      return stepChange(diffJson(before.text, after.text, { ignore }), description);
    },
    explanation: async ({ store, asked, facts }, signal, part) =>
      explainBranch(await find(store), asked, facts, pausing(signal), part),
    diff: async ({ a, b, ignore }) => ({ bytes: await diffOf(texts, a, b, ignore) }),
    plan: async ({ store, request }) => planOf(await find(store), request),
    json: async ({ bytes }) => ({ value: readJson(bytes) }),
  };
  return {
    ask: async (name, input, signal, part) => {
      signal?.throwIfAborted();
      return table[name](input, signal, part);
    },
  };
}

function headOf(kept: KeptText, path: string | undefined): TextHead {
  const { text, hash, derived } = kept;
  const { start, end } =
    path === undefined ? { start: 0, end: text.length } : locateValue(kept.index(), parsePath(path));
  const bytes = Buffer.byteLength(path === undefined ? text : text.slice(start, end));
  return compact({ hash, derived, from: start, to: end, bytes });
}

/** A piece of the text as UTF-8; it never ends inside a surrogate pair. */
function pieceOf(text: string, from: number, to: number): { bytes: Uint8Array<ArrayBuffer>; next: number } {
  const end = Math.min(to, from + PIECE);
  const code = text.charCodeAt(end - 1);
  const next = end < to && code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
  return { bytes: new TextEncoder().encode(text.slice(from, next)), next };
}

function answerPart(kept: KeptText, query: Questions['part']['in']['query']): PartAnswer {
  const part = partOf(kept.index(), query);
  const left = { bytes: HASHED_BYTES };
  const own = part.blob && { ...part.blob, hash: blobHash(kept, part.path) };
  const children = part.children && hashChildren(kept, part.path, part.children, left);
  return { ...part, ...(own ? { blob: own } : {}), ...(children ? { children } : {}), hash: kept.hash };
}

/** Short blobs of the page get their hash; a text that is whole is at hand for it. */
function hashChildren(
  kept: KeptText,
  path: string,
  children: readonly PartChild[],
  left: { bytes: number },
): readonly PartChild[] {
  return children.map((child) => {
    if (child.children) return { ...child, children: hashChildren(kept, path, child.children, left) };
    return child.blob === undefined || child.cut ? child : { ...child, blob: hashed(child, child.blob, left) };
  });
}

function hashed(value: ValueNote, blob: BlobNote, left: { bytes: number }): BlobNote {
  left.bytes -= blob.bytes;
  return left.bytes < 0 ? blob : { ...blob, hash: sha256(Buffer.from(blobDigits(value.text), 'base64')) };
}

const blobHash = (kept: KeptText, path: string): string => decoded(kept, path).hash;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @throws InspectorError not_found | unsupported | too_large */
function decoded(kept: KeptText, path: string): Blob {
  const { start, end } = locateValue(kept.index(), parsePath(path));
  const note = blobAt(kept.text, start, end);
  if (note === undefined) throw new InspectorError('unsupported', `The value at ${path} isn't base64 data.`);
  if (note.bytes > BLOB_BYTES) throw new InspectorError('too_large', `The data at ${path} has ${note.bytes} bytes.`);
  const bytes = new Uint8Array(Buffer.from(blobDigits(kept.text.slice(start, end)), 'base64'));
  return compact({ bytes, hash: sha256(bytes), mime: note.mime });
}

/** Searches in slices, so that other questions and a change of mind come through. */
async function findSliced(kept: KeptText, query: FindStateQuery, signal?: AbortSignal): Promise<FindAnswer> {
  const index = kept.index();
  const ends = performance.now() + FIND_MS;
  const items: JsonMatch[] = [];
  let from: number | undefined = query.from ?? 0;
  do {
    const slice = performance.now() + SLICE_MS;
    const limit = query.limit - items.length;
    const piece = findInJson(index, { words: query.words, from, limit, stop: () => performance.now() > slice });
    items.push(...piece.items);
    from = piece.next;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  } while (from !== undefined && items.length < query.limit && performance.now() < ends);
  const length = kept.text.length;
  return compact({ items, hash: kept.hash, next: from, length, reached: from ?? length });
}

async function diffOf(
  texts: Texts,
  a: StateAt,
  b: StateAt,
  ignore: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  const [before, after] = [await texts.text(a), await texts.text(b)];
  return diffAnswer(diffJson(before.text, after.text, { ignore }), ignore);
}

/** @throws InspectorError invalid_input */
function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new InspectorError('invalid_input', "This isn't valid JSON.", { cause });
  }
}

async function planOf(source: CheckpointSource, request: CopyRequest): Promise<Plan> {
  if (!isChangeable(source)) throw new InspectorError('unsupported', `${source.info.label} is open read-only.`);
  const { view, job } = await source.plan(request);
  return { view: { ...view, request: request.kind === 'edit' ? { ...request, text: '' } : request }, job };
}

/** As the route answers it. @throws InspectorError too_large */
export function diffAnswer(diff: Diff, ignore: readonly string[]): Uint8Array<ArrayBuffer> {
  const { items, summary, ignored, equal } = diff;
  const bytes = new TextEncoder().encode(JSON.stringify({ items, summary, ignored, equal, ignoreRules: ignore }));
  if (bytes.length <= DIFF_ANSWER_BYTES) return bytes;
  const size = Math.ceil(bytes.length / 1e6);
  throw new InspectorError('too_large', `The differences between these two states alone take up ${size} MB.`, {
    remedy: 'Open each state in its State tab, which loads it in parts, or run `checkpoint-inspector diff`.',
    data: { bytes: bytes.length },
  });
}
