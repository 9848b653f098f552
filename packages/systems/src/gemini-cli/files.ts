/** Where Gemini CLI keeps its chats, and what one file is by its first lines. */
import { InspectorError, memberOf, parseJson, quoteJson, sourceOf } from '@checkpoint-inspector/core';
import { decodeUtf8 } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { textIn } from '../folder/view.ts';
import { brief, type Line, type LogCodec, type LogExtras, type LogFacts, type LogFile } from '../log/index.ts';
import { promptOf, typeOf } from './message.ts';
import { readRecord, type ChatRecord, type Message } from './records.ts';

/** `session-<time>-<first letters of the id>.jsonl`, or `<id>.jsonl` of a sub-agent; `.json` in older versions. */
const MAIN_FILE = /^session-[^/]+\.jsonl?$/;
const SHOWN_NAMES = 6;
const SUBAGENT_FILE = /^[0-9a-z-]+\.jsonl$/i;

/** @param name relative to the folder that was opened, which may be any of `~/.gemini` down to `chats` */
export function isChat(name: string): boolean {
  const [file = '', folder = 'chats', above = 'chats'] = name.split('/').toReversed();
  if (folder === 'chats') return MAIN_FILE.test(file);
  return above === 'chats' && SUBAGENT_FILE.test(file);
}

/** Saved on demand, or before a tool changes a file: the model's list of turns, in forms that aren't read here. */
const OWN_CHECKPOINT = /^(?:checkpoint-.+|checkpoints\/.+)\.json$/;

/** Names Gemini CLI's own checkpoints. @param root any of `~/.gemini` down to `chats` */
export async function chatExtras(root: string): Promise<LogExtras> {
  const projects = basename(root) === 'chats' ? [dirname(root)] : await projectsIn(root);
  const names: string[] = [];
  for (const project of projects) {
    const inside = await namesIn(join(project, 'checkpoints'));
    const own = [...(await namesIn(project)), ...inside.map((name) => `checkpoints/${name}`)];
    names.push(...own.filter((name) => OWN_CHECKPOINT.test(name)));
  }
  if (names.length === 0) return {};
  const shown = names.slice(0, SHOWN_NAMES).join(', ');
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  return { notes: [`What /chat save and the file tools of Gemini CLI saved isn't read here: ${shown}${more}.`] };
}

async function projectsIn(root: string): Promise<readonly string[]> {
  const tmp = basename(root) === 'tmp' ? root : join(root, 'tmp');
  const projects = await namesIn(tmp);
  return projects.length === 0 ? [root] : projects.map((name) => join(tmp, name));
}

export const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.toSorted(),
    () => [],
  );

/** The other folders of Gemini CLI hold a shadow of the project's files. */
export const isChatFolder = (name: string): boolean =>
  !/(?:^|\/)(?:history|\.git|logs|checkpoints|node_modules)$/.test(name);

/** A whole session in one document: as the lines that Gemini CLI makes of it itself when it is resumed. */
export function legacyCodec(name: string): LogCodec | undefined {
  return name.endsWith('.json')
    ? { decode: async (stored) => linesOf(decodeUtf8(stored).replace(/^\uFEFF/, '')) }
    : undefined;
}

/** @throws InspectorError unreadable */
function linesOf(text: string): Buffer {
  const root = parseJson(text);
  const messages = root.kind === 'object' ? memberOf(root, 'messages')?.value : undefined;
  if (root.kind !== 'object' || messages?.kind !== 'array') {
    throw new InspectorError('unreadable', 'The file has no list of messages.');
  }
  const fields = root.members.filter(({ key }) => key !== 'messages');
  const head = fields.map(({ key, value }) => `${quoteJson(key)}:${sourceOf(text, value)}`);
  const lines = [`{${head.join(',')}}`, ...messages.items.map((item) => sourceOf(text, item))];
  return Buffer.from(lines.map((line) => `${line.replaceAll(/[\r\n]/g, ' ')}\n`).join(''));
}

/** The session is what the last header of the beginning says; a file without one goes by its name. */
export function describeChat(file: LogFile, head: readonly Line[]): LogFacts {
  const { name } = file;
  const records = head.flatMap(recordIn);
  const fields = records.flatMap((record) => ('fields' in record ? [record.fields] : []));
  const session = fields.map((one) => textIn(one, 'sessionId')).find((id) => id !== undefined);
  const summary = fields.map((one) => textIn(one, 'summary')).findLast((text) => text !== undefined);
  const prompt = records
    .flatMap(messagesOf)
    .map(promptOf)
    .find((text) => text !== undefined);
  const title = summary ?? prompt;
  return {
    session: session ?? name.replace(/^.*\//, '').replace(/\.jsonl?$/, ''),
    ...(title === undefined ? {} : { title: brief(title) }),
    isEarly: !records.flatMap(messagesOf).some((message) => typeOf(message) === 'gemini'),
    leftOver: isWhole(file, head) && records.length === head.length ? leftOverNote(name, records) : undefined,
  };
}

const isWhole = ({ entry }: LogFile, head: readonly Line[]): boolean => head.at(-1)?.end === entry.size;

/**
 * A resume in another minute leaves a file with the session's id and what is sent ahead of a conversation. Gemini CLI
 * doesn't list it, and its cleanup takes it for damage (0.61.0; google-gemini/gemini-cli issue 27368).
 */
function leftOverNote(name: string, records: readonly ChatRecord[]): string | undefined {
  const file = name.slice(name.lastIndexOf('/') + 1);
  const isContext = (message: Message): boolean => typeOf(message) === 'user' && promptOf(message) === undefined;
  if (!/^session-.+\.jsonl$/.test(file) || !records.flatMap(messagesOf).every(isContext)) return undefined;
  return `Gemini CLI may delete this session the next time it starts another one: a resume left "${file}", an empty file with the same id, and the cleanup removes both. To keep the session, delete that file or turn off general.sessionRetention in Gemini CLI's settings.`;
}

const messagesOf = (record: ChatRecord) =>
  record.kind === 'message' ? [record.message] : 'messages' in record ? (record.messages ?? []) : [];

function recordIn({ bytes }: Line): ChatRecord[] {
  try {
    return [readRecord(bytes)];
  } catch {
    return [];
  }
}
