import { fromJsonText, InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { decodeUtf8, readBounded } from '@checkpoint-inspector/io';
import { basename, dirname, join, sep } from 'node:path';
import { recordOf, textIn } from '../folder/view.ts';
import { firstTold, LogSource } from '../log/index.ts';
import { isChat, namesIn } from './files.ts';
import { readRecord } from './records.ts';
import { chatRules } from './rules.ts';

/** Sessions are smaller; a larger document is of something else. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

interface Place {
  readonly root: string;
  readonly only?: string;
  readonly match: Omit<Match, 'system'>;
}

/** A home such as `~/.gemini` under any name, its `tmp`, a project's folder below that, `chats`, or one session. */
async function placeOf(target: Target): Promise<Place | undefined> {
  if (target.kind !== 'path') return undefined;
  const { path, is } = target;
  if (is === 'file') {
    if (!/\.jsonl?$/.test(path) || !(await isSession(path))) return undefined;
    const match = { because: `a session of ${writerOf(path)}`, confidence: 0.95 };
    return { root: dirname(path), only: basename(path), match };
  }
  const chats = await chatFolders(path);
  for (const folder of chats) {
    for (const name of (await namesIn(folder)).filter((one) => isChat(one))) {
      if (!(await isSession(join(folder, name)))) continue;
      const because = `sessions of ${writerOf(path)} in ${chats.length} chats ${chats.length === 1 ? 'folder' : 'folders'}`;
      return { root: path, match: { because, confidence: 0.95, place: path, isWhole: true } };
    }
  }
  return undefined;
}

/** Qwen Code writes the files of Gemini CLI, which it was made from, below a folder of its own. */
export const writerOf = (path: string): string => (path.split(sep).includes('.qwen') ? 'Qwen Code' : 'Gemini CLI');

/** The folders of sessions that a folder may mean. */
async function chatFolders(path: string): Promise<string[]> {
  const names = await namesIn(path);
  if (names.includes('chats')) return [join(path, 'chats')];
  const tmp = basename(path) === 'tmp' ? path : names.includes('tmp') ? join(path, 'tmp') : undefined;
  if (tmp === undefined) return [path];
  const folders: string[] = [];
  for (const project of await namesIn(tmp)) {
    if ((await namesIn(join(tmp, project))).includes('chats')) folders.push(join(tmp, project, 'chats'));
  }
  return folders;
}

/** A header names the session and its project; in older versions the whole session is one document with the same members. */
async function isSession(path: string): Promise<boolean> {
  if (path.endsWith('.json')) return isDocument(path);
  return (await firstTold(path, ({ bytes }) => kindIn(bytes))) ?? false;
}

function kindIn(bytes: Buffer): boolean | undefined {
  try {
    const { kind } = readRecord(bytes);
    return kind === 'header' ? true : kind === 'other' ? false : undefined;
  } catch {
    return undefined;
  }
}

async function isDocument(path: string): Promise<boolean> {
  try {
    const text = decodeUtf8(await readBounded(path, { maxBytes: MAX_DOCUMENT_BYTES })).replace(/^\uFEFF/, '');
    const fields = text.includes('"projectHash"') ? recordOf(fromJsonText(text)) : {};
    return ['sessionId', 'projectHash'].every((key) => textIn(fields, key) !== undefined);
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
