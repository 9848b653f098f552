/** The built web app: an allow-list of files, so no path can lead out of the folder. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Context } from 'hono';
import { bestEncoding, encodeFile, type Encoding } from './lib/encoding.ts';
import { matchesEtag } from './lib/http.ts';

export interface ShellFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** The name contains a hash of the content. */
  readonly immutable: boolean;
  /** A hash of the bytes. */
  readonly hash: string;
  /** The same in fewer bytes, made when first asked for; `undefined` where that would not be fewer. */
  readonly encoded: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The file at a URL path, or the page itself for an address inside the app. */
export type Shell = (path: string) => Promise<ShellFile | undefined>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const ASSETS = '/assets/';
/** Pictures and fonts are compressed already. */
const ENCODED = /^text\/|javascript|json|svg/;
const HASH_CHARS = 22;

/** One file as the client takes it; `undefined` where nothing is at the path. */
export async function shellAnswer(c: Context, shell: Shell | undefined): Promise<Response | undefined> {
  const file = await shell?.(c.req.path);
  if (file === undefined) return undefined;
  const encoding = ENCODED.test(file.type) ? bestEncoding(c.req.header('accept-encoding')) : undefined;
  const smaller = encoding && (await file.encoded(encoding));
  const tag = smaller ? `${file.hash}-${encoding}` : file.hash;
  c.header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  c.header('etag', `"${tag}"`);
  c.header('vary', 'accept-encoding');
  if (matchesEtag(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  c.header('content-type', file.type);
  if (smaller && encoding) c.header('content-encoding', encoding);
  return c.body(smaller ?? file.bytes, 200);
}

/** Serves the files that were in the folder at the first request. */
export function folderShell(folder: string): Shell {
  let listing: Promise<ReadonlyMap<string, string>> | undefined;
  const files = new Map<string, Promise<ShellFile>>();

  return async (path) => {
    listing ??= listFiles(folder);
    const listed = await listing;
    const name = listed.has(path) ? path : pageFor(path);
    const file = name === undefined ? undefined : listed.get(name);
    if (name === undefined || file === undefined) return undefined;
    const known = files.get(name) ?? load(name, file);
    files.set(name, known);
    return known;
  };
}

/** Addresses inside the app are answered by its page; a missing asset is missing. */
function pageFor(path: string): string | undefined {
  return path.startsWith(ASSETS) ? undefined : '/index.html';
}

async function load(name: string, file: string): Promise<ShellFile> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const bytes = new Uint8Array(await readFile(file));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_CHARS);
  const made = new Map<Encoding, ReturnType<typeof encodeFile>>();
  const encoded = (encoding: Encoding) => {
    const kept = made.get(encoding) ?? encodeFile(bytes, encoding);
    made.set(encoding, kept);
    return kept;
  };
  return { bytes, type, immutable: name.startsWith(ASSETS), hash, encoded };
}

/** URL path -> file. Links are left out, source maps too: they hold machine paths. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.map'));
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [`/${relative(folder, file).split(sep).join('/')}`, file] as const;
    }),
  );
}
