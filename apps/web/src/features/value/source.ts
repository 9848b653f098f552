/** Where the tree of values reads: a text in hand, or a state that the server reads in parts. */
import { hashedKey } from '../../lib/queries.ts';
import {
  type Address,
  blobDigits,
  type BlobNote,
  type CheckpointMeta,
  findInJson,
  type FoundPiece,
  indexJson,
  InspectorError,
  locateValue,
  parsePath,
  type Part,
  partOf,
  type Path,
  sha256Hex,
} from '@checkpoint-inspector/core';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { useMemo } from 'react';
import { refAt, toAddress } from '../../lib/address.ts';
import { api, type PartAsked } from '../../lib/api.ts';

/** Children in one page. */
export const PAGE = 100;
/** Long enough that a secret which begins in view is seen whole, and so masked. */
const PREVIEW = 5_200;
/** Of the value that the inspector shows. */
const VALUE_PREVIEW = 20_000;
/** Longer values go to a file, not to the clipboard. */
export const MOST_COPIED = 4_000_000;
const KEEP_MS = 60_000;
const MATCH_LIMIT = 2000;
/** Larger data has its hash worked out by whoever downloads it. */
const HASHED_BYTES = 4_000_000;

/** One state, in parts. Paths are texts as `$.a[0]`. */
export interface PartSource {
  /** Begins the keys of its queries: equal keys, the same state. */
  readonly key: readonly unknown[];
  /** Of files that its values are saved as. */
  readonly name: string;
  /** False where another state may come to be read under the same key. */
  readonly fixed: boolean;
  /** @throws InspectorError not_found, when nothing is at the path */
  part(asked: PartAsked, signal?: AbortSignal): Promise<Part>;
  /** The same at once, where the text is in hand. */
  readonly now?: (asked: PartAsked) => Part;
  find(words: string, from: number | undefined, signal?: AbortSignal): Promise<FoundPiece>;
  /** JSON text of a value, as stored. */
  value(path: string): Promise<Blob>;
  /** What a string in base64 holds. */
  bytes(path: string): Promise<Blob>;
  /** Data in base64 with its hash, where that is not too much work. */
  blob(path: string): Promise<BlobNote | undefined>;
}

type TextSource = PartSource & Required<Pick<PartSource, 'now'>>;

let texts = 0;

/**
 * Parts of a text, as the server would give them.
 * @throws InspectorError unreadable, when `text` isn't JSON
 * @example textParts('{"a":[1,2]}').now({ path: '$.a' }).count // 2
 */
export function textParts(text: string, name = ''): TextSource {
  const index = indexJson(text);
  const known = new Map<string, Part>();
  const now = ({ path, offset = 0, limit = PAGE, depth = 1, preview = PREVIEW }: PartAsked): Part => {
    const asked = `${offset} ${limit} ${depth} ${preview} ${path}`;
    const part = known.get(asked) ?? partOf(index, { path: parsePath(path), offset, limit, depth, preview });
    known.set(asked, part);
    return part;
  };
  const tokenAt = (path: string): string => {
    const { start, end } = locateValue(index, parsePath(path));
    return text.slice(start, end);
  };
  const bytesAt = (path: string): Uint8Array<ArrayBuffer> => {
    const digits = blobDigits(tokenAt(path)).replaceAll('-', '+').replaceAll('_', '/');
    return Uint8Array.from(atob(digits), (letter) => letter.charCodeAt(0));
  };
  return {
    key: ['text', ++texts],
    name,
    fixed: true,
    now,
    part: async (asked) => now(asked),
    find: async (words, from = 0) => findInJson(index, { words, from, limit: MATCH_LIMIT }),
    value: async (path) => new Blob([tokenAt(path)]),
    bytes: async (path) => new Blob([bytesAt(path)]),
    blob: async (path) => {
      const { blob } = now({ path, depth: 0 });
      if (blob === undefined || blob.bytes > HASHED_BYTES) return blob;
      return { ...blob, hash: await sha256Hex(bytesAt(path)) };
    },
  };
}

/** The same, or nothing where the text isn't JSON. */
export const tryTextParts = (text: string): TextSource | undefined => unlessFailed(() => textParts(text));

/** Which state: its place, and the hash where it is known. */
interface Seen {
  readonly at: Address;
  readonly hash: string | undefined;
}

/** Parts of a state that the server holds; with a hash an answer never changes. */
function apiParts({ at, hash }: Seen): PartSource {
  const part = (asked: PartAsked, signal?: AbortSignal): Promise<Part> =>
    api.part(at, { preview: PREVIEW, ...asked, hash }, signal && { signal });
  return {
    // Under the key of the state itself: with a hash no save elsewhere makes it be read again.
    key: [...hashedKey('state', at, hash), 'part'],
    name: at.id,
    fixed: hash !== undefined,
    part,
    find: (text, from, signal) => api.findInState(at, { text, from, hash }, signal && { signal }),
    value: (path) => api.value(at, { path, hash }),
    bytes: (path) => api.value(at, { path, hash, as: 'bytes' }),
    blob: async (path) => (await part({ path, depth: 0, preview: VALUE_PREVIEW })).blob,
  };
}

/** The parts of a checkpoint's state: the same source for as long as it is the same state. */
export function useStateParts({ store, taskId, namespace, id, revision }: CheckpointMeta): PartSource {
  return useMemo(() => {
    const at = toAddress(store, refAt(taskId, id, namespace));
    return apiParts({ at, hash: revision });
  }, [store, taskId, namespace, id, revision]);
}

/** A path of the address, unless it is none. */
export function pathOf(text: string | undefined): Path | undefined {
  return text === undefined ? undefined : unlessFailed(() => parsePath(text));
}

/** What the source can say at once; nothing where the server must be asked, or where nothing is there. */
export const partNow = (source: PartSource, asked: PartAsked): Part | undefined =>
  unlessFailed(() => source.now?.(asked));

function unlessFailed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const kept = (source: PartSource) => ({
  staleTime: source.fixed ? Number.POSITIVE_INFINITY : 0,
  gcTime: source.now ? 0 : KEEP_MS,
});

const partQuery = (source: PartSource, asked: PartAsked) =>
  queryOptions({
    queryKey: [...source.key, asked],
    queryFn: ({ signal }) => source.part(asked, signal),
    initialData: () => partNow(source, asked),
    structuralSharing: false,
    ...kept(source),
  });

const pageAsked = (path: string, page: number): PartAsked => ({ path, offset: page * PAGE, limit: PAGE });

/** One page of the children of a container, and the container itself. */
export const pageQuery = (source: PartSource, path: string, page: number) => partQuery(source, pageAsked(path, page));

/** The same, if it is there already. */
export const pageNow = (source: PartSource, path: string, page: number): Part | undefined =>
  partNow(source, pageAsked(path, page));

/** A value without its children, and the way to it. */
export const valueQuery = (source: PartSource, path: string) =>
  partQuery(source, { path, depth: 0, preview: VALUE_PREVIEW });

/** The first rows of a state, two levels deep. */
export const headQuery = (source: PartSource, rows: number) => partQuery(source, { path: '$', limit: rows, depth: 2 });

export const blobQuery = (source: PartSource, path: string) =>
  queryOptions({
    queryKey: [...source.key, 'blob', path],
    queryFn: async () => (await source.blob(path)) ?? null,
    ...kept(source),
  });

export const foundQuery = (source: PartSource, words: string) =>
  infiniteQueryOptions({
    queryKey: [...source.key, 'found', words],
    queryFn: ({ pageParam, signal }) => source.find(words, pageParam, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (answer) => answer.next,
    enabled: words !== '',
    ...kept(source),
  });
