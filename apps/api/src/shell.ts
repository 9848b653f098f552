/** The built web app: an allow-list of files, so no path can lead out of the folder. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

export interface ShellFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** The name holds a hash of the content. */
  readonly immutable: boolean;
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
  return { bytes: new Uint8Array(await readFile(file)), type, immutable: name.startsWith(ASSETS) };
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
