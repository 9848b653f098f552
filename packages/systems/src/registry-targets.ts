import { assertNoPassword, InspectorError, isAddress, type Target } from '@checkpoint-inspector/core';
import { errnoOf } from '@checkpoint-inspector/io';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/** Names under which systems keep databases; others are tried by their content. */
export const DATABASE_NAMES = /\.(sqlite3?|db|db3)$/i;
/** Folders of systems, looked for inside a folder that the user names. */
export const KNOWN_FOLDERS = [
  '.kaizen',
  'checkpoints',
  '.langgraph_api',
  '.rlm-act-checkpoints',
  'sessions',
  'archived_sessions',
];
/** Folders of systems whose databases belong to the folder around them. */
const DATABASE_FOLDERS = ['.ctx-sys', '.mastra', '.voltagent'];
const MAX_DATABASES = 50;

/** An address, or what is there at a path; `~` is the home folder. @throws InspectorError no_store | invalid_input */
export async function resolveTarget(text: string): Promise<Target> {
  const address = text.trim();
  if (isAddress(address)) return { kind: 'address', url: address };
  if (text.includes('\0')) throw new InspectorError('invalid_input', "A path can't contain a NUL character.");
  const path = resolve(text.replace(/^~(?=\/|$)/, homedir()));
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { kind: 'path', path, is: 'folder' };
    if (found.isFile()) return { kind: 'path', path, is: 'file' };
  } catch (cause) {
    assertNoPassword(text);
    const errno = errnoOf(cause);
    const words =
      errno === 'ENOENT' || errno === 'ENOTDIR' ? 'No such file or folder:' : `This user can't open (${errno})`;
    throw new InspectorError('no_store', `${words} "${text}".`, { cause, data: { path } });
  }
  throw new InspectorError('no_store', `"${path}" is neither a file nor a folder.`, { data: { path } });
}

/** A target and, for a folder, the databases and known folders directly inside it. */
export async function targetsIn(target: Target): Promise<readonly Target[]> {
  if (target.kind !== 'path' || target.is === 'file') return [target];
  const folders = [target.path, ...DATABASE_FOLDERS.map((name) => join(target.path, name))];
  const paths = (await Promise.all(folders.map(databasesIn))).flat();
  const databases = paths.map((path): Target => ({ kind: 'path', path, is: 'file' }));
  const inside = join(target.path, '.langgraph_api');
  const api = basename(target.path) !== '.langgraph_api' && (await isFolder(inside)) ? [inside] : [];
  return [target, ...databases, ...api.map((path): Target => ({ kind: 'path', path, is: 'folder' }))];
}

/** Files directly in a folder that are named like a database; what they are is told by opening them. */
export async function databasesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && DATABASE_NAMES.test(entry.name));
  const paths = files.map((entry) => join(folder, entry.name)).toSorted();
  return paths.slice(0, MAX_DATABASES);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
