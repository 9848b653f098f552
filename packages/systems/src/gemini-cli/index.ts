import { InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { readHead } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LogSource } from '../log/index.ts';
import { isChat } from './files.ts';
import { readRecord } from './records.ts';
import { chatRules } from './rules.ts';

const HEAD_BYTES = 4096;
/** Files read before a folder of others is skipped. */
const TRIED_FILES = 20;

interface Place {
  readonly root: string;
  readonly only?: string;
  readonly match: Omit<Match, 'system'>;
}

/** `~/.gemini`, a project's folder below its `tmp`, `chats`, or one session. */
async function placeOf(target: Target): Promise<Place | undefined> {
  if (target.kind !== 'path') return undefined;
  const { path, is } = target;
  if (is === 'file') {
    if (!/\.jsonl?$/.test(path) || !(await isSession(path))) return undefined;
    const match = { because: 'a session of Gemini CLI', confidence: 0.95 };
    return { root: dirname(path), only: basename(path), match };
  }
  const chats = await chatFolders(path);
  for (const folder of chats) {
    const files = (await namesIn(folder)).filter((name) => isChat(name));
    for (const name of files.slice(0, TRIED_FILES)) {
      if (!(await isSession(join(folder, name)))) continue;
      const because = `sessions of Gemini CLI in ${chats.length} chats folders`;
      return { root: path, match: { because, confidence: 0.95, place: path, isWhole: true } };
    }
  }
  return undefined;
}

/** The folders of sessions that a folder may mean. */
async function chatFolders(path: string): Promise<string[]> {
  if (basename(path) === 'chats') return [path];
  const names = await namesIn(path);
  if (names.includes('chats')) return [join(path, 'chats')];
  const home = basename(path) === '.gemini' || names.includes('projects.json');
  const tmp = basename(path) === 'tmp' ? path : home && names.includes('tmp') ? join(path, 'tmp') : undefined;
  if (tmp === undefined) return [];
  const folders: string[] = [];
  for (const project of await namesIn(tmp)) {
    if ((await namesIn(join(tmp, project))).includes('chats')) folders.push(join(tmp, project, 'chats'));
  }
  return folders;
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.toSorted(),
    () => [],
  );

/** Both forms begin with the ids of the session and its project. */
async function isSession(path: string): Promise<boolean> {
  const head = Buffer.from(await readHead(path, HEAD_BYTES).catch(() => new Uint8Array()));
  const text = head.toString();
  if (path.endsWith('.json')) return /^\s*\{\s*"sessionId"\s*:\s*"[^"]*",\s*"projectHash"\s*:/.test(text);
  const end = head.indexOf(0x0a);
  try {
    return end > 0 && readRecord(head.subarray(0, end)).kind === 'header';
  } catch {
    return false;
  }
}

/**
 * Gemini CLI: one log per session, which it appends to.
 * @example const [source] = await geminiCliSystem.open(target, options);
 */
export const geminiCliSystem: System = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  async detect(target) {
    const place = await placeOf(target);
    return place && { system: 'gemini-cli', ...place.match };
  },
  async open(target, { label, location, nameStore }) {
    const place = await placeOf(target);
    if (!place) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" contains no sessions of Gemini CLI.`, { data: { path } });
    }
    const { root, only } = place;
    return [await LogSource.open({ root, id: nameStore(label), label, location }, chatRules(root, only))];
  },
};
