import { InspectorError, type ErrorCode } from '@checkpoint-inspector/core';
import { shownError } from '@checkpoint-inspector/inspector';
import { HTTPException } from 'hono/http-exception';

interface StatusErrorOptions {
  readonly remedy?: string;
  /** What HTTP wants beside the status: `Allow` of a 405, `Content-Range` of a 416. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An InspectorError whose HTTP status is more exact than the table's (405, 415, 416, 428). */
export class StatusError extends InspectorError {
  readonly #status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode, message: string, { remedy, headers = {} }: StatusErrorOptions = {}) {
    super(code, message, remedy === undefined ? {} : { remedy });
    this.#status = status;
    this.headers = headers;
  }

  override get status(): number {
    return this.#status;
  }
}

/**
 * What a client may see of any thrown value: an InspectorError as it is; of
 * everything else nothing, because messages of drivers hold paths.
 */
export function publicError(thrown: unknown): InspectorError {
  if (thrown instanceof HTTPException && thrown.status < 500) {
    return new StatusError(thrown.status, thrown.status === 413 ? 'too_large' : 'invalid_input', `${thrown.message}.`);
  }
  return shownError(thrown);
}

interface ByteRange {
  readonly from: number;
  /** Just past the last byte. */
  readonly to: number;
}

/**
 * The one range of a Range header; `undefined` for the whole, also where the header is of another kind.
 * @throws InspectorError invalid_input (416) for a range that begins after the end
 * @example byteRange('bytes=0-99', 1000) // { from: 0, to: 100 }
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (size === 0 || (first === '' && last === '')) return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new StatusError(416, 'invalid_input', `There are ${size} bytes; the range "${header}" can't be satisfied.`, {
    remedy: 'Request a range that starts before the end.',
    headers: { 'content-range': `bytes */${size}` },
  });
}

/**
 * The Range header of a request, unless its If-Range names another version of the bytes: parts of two versions must not
 * be put together. Only a strong tag counts, and no date, because no answer has one.
 */
export function rangeFor(header: (name: string) => string | undefined, hash: string): string | undefined {
  const condition = header('if-range');
  return condition === undefined || condition.trim() === `"${hash}"` ? header('range') : undefined;
}

/** True when an If-None-Match header names the hash (weak comparison, as caches do). */
export function matchesEtag(header: string | undefined, hash: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}

/** The hashes of an If-Match header; only strong tags count. */
export function strongTags(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/(?<!W\/)"([^"]*)"/g)].map((match) => match[1] ?? '');
}

interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * Which methods a path takes, of the routes that name theirs.
 * @example methodsAt([{ method: 'GET', path: '/tasks/:id' }])('/tasks/a') // ['GET', 'HEAD']
 */
export function methodsAt(routes: readonly Route[]): (path: string) => readonly string[] {
  const named = routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*'));
  const patterns = named.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (path) => {
    const found = new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])));
    if (found.has('GET')) found.add('HEAD');
    return [...found].toSorted();
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)));
  return new RegExp(`^${parts.join('/')}$`);
}
