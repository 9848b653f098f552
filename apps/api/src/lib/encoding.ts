/** Answers in fewer bytes, for those who read over a tunnel: which encoding a client takes, and making it off this thread. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Next } from 'hono';

/** In the order in which we offer them. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Below this the headers weigh more than what is saved. */
const LEAST_BYTES = 1024;
/** An answer is made for one request only: gzip's quick levels already save most of it. */
const ANSWER_LEVEL = 3;
const LEAST_ANSWER_BYTES = 4 * LEAST_BYTES;
const BROTLI_QUALITY = 7;

/**
 * The encoding in which a client would best have an answer; `undefined`: as it is.
 * @example bestEncoding('gzip, br;q=0') // 'gzip'
 */
export function bestEncoding(
  header: string | undefined,
  offered: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(header.split(',').map(weighted));
  const weightOf = (name: Encoding): number => weights.get(name) ?? weights.get('*') ?? 0;
  return offered.filter((name) => weightOf(name) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))[0];
}

/** `br;q=0.5`, as a name and its weight. */
function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...rest] = part.toLowerCase().split(';');
  const weight = rest.flatMap((word) => /^\s*q=([\d.]+)\s*$/.exec(word)?.[1] ?? [])[0];
  return [name.trim(), weight === undefined ? 1 : Number(weight)];
}

/** A file of the page, made once and kept; `undefined` where it would not get smaller. */
export async function encodeFile(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes.length < LEAST_BYTES) return undefined;
  const made =
    encoding === 'gzip'
      ? await gzipped(bytes, { level: constants.Z_BEST_COMPRESSION })
      : await brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  return made.length < bytes.length ? new Uint8Array(made) : undefined;
}

/**
 * JSON answers to GET with gzip. Left as they are: streams, which must leave as they come; texts with a tag or a stated
 * length, which are exact copies of what is stored; and what is small. A tunnel ends on this machine too, so nothing
 * tells it from a browser here, for which compressing saves nothing: who doesn't want it doesn't ask for it.
 *
 * The length of a compressed answer tells something of a secret in it to whoever can have it asked for again and again
 * with words of their own beside it (BREACH). Nobody without the token can have anything asked for: it is a header that
 * no other page makes a browser send. The one answer that contains the token is to a POST.
 */
export const gzipAnswers = (c: Context, next: Next): Promise<void> => {
  // Asked first: looking at an answer's body makes a stream of it.
  if (c.req.method !== 'GET' || bestEncoding(c.req.header('accept-encoding'), ['gzip']) === undefined) return next();
  return next().then(() => gzipAnswer(c));
};

/** The headers with which a JSON text leaves that stays as it is; `undefined` where it is compressed for who asks. */
export function headersAsItIs(
  asks: string | undefined,
  text: string,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if ('etag' in headers || bestEncoding(asks, ['gzip']) === undefined) return headers;
  return Buffer.byteLength(text) < LEAST_ANSWER_BYTES ? { ...headers, vary: 'accept-encoding' } : undefined;
}

async function gzipAnswer(c: Context): Promise<void> {
  const { headers, status } = c.res;
  if (status !== 200 || !/^application\/json\b/.test(headers.get('content-type') ?? '')) return;
  if (['etag', 'content-length', 'content-disposition'].some((name) => headers.has(name))) return;
  c.header('vary', 'accept-encoding');
  const plain = await c.res.arrayBuffer();
  if (plain.byteLength < LEAST_ANSWER_BYTES) {
    c.res = new Response(plain, c.res);
    return;
  }
  c.res = new Response(new Uint8Array(await gzipped(plain, { level: ANSWER_LEVEL })), c.res);
  c.header('content-encoding', 'gzip');
}
