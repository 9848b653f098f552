/** Lines of a rollout, as far as they have to be looked into. */
import { brief, type Line } from '../log/index.ts';
import { isRecord, recordOf, records, textIn, type Fields } from '../folder/view.ts';

/** What the beginning of a line tells: most lines aren't read further. */
export interface Kind {
  readonly time: string;
  readonly type: string;
  /** Of the payload. */
  readonly of?: string;
}

const HEAD_BYTES = 240;
const HEAD = /^\{"timestamp":"([^"\\]*)",(?:"ordinal":\d+,)?"type":"([a-z_]+)","payload":\{(?:"type":"([a-z_]+)")?/;
const CLOSING = 0x7d;

/** `undefined` for a line that isn't a record. */
export function kindOf({ bytes }: Line): Kind | undefined {
  // No text of JSON has such a byte; what is broken inside otherwise is told where it is read.
  if (bytes.at(-1) !== CLOSING || bytes.includes(0)) return undefined;
  const [, time, type, of] = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
  if (time !== undefined && type !== undefined) return { time, type, ...(of === undefined ? {} : { of }) };
  const record = readRecord(bytes);
  if (!record) return undefined;
  const [stamp, name, inner] = [record['timestamp'], record['type'], recordOf(record['payload'])['type']];
  if (typeof name !== 'string') return undefined;
  return {
    time: typeof stamp === 'string' ? stamp : '',
    type: name,
    ...(typeof inner === 'string' ? { of: inner } : {}),
  };
}

export function readRecord(bytes: Buffer): Fields | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const payloadIn = (bytes: Buffer): Fields | undefined => {
  const payload = readRecord(bytes)?.['payload'];
  return isRecord(payload) ? payload : undefined;
};

/** A call of a tool, and what answers it. */
export const isCall = (of: string | undefined): boolean => of !== undefined && of.endsWith('_call');
export const isOutput = (of: string | undefined): boolean => of !== undefined && of.endsWith('_call_output');

/** Codex runs it only after a person has agreed. */
export function asksPerson(call: Fields): boolean {
  const args = readArguments(call);
  return args['sandbox_permissions'] === 'require_escalated' || textIn(call, 'name') === 'request_user_input';
}

export function readArguments(call: Fields): Fields {
  const text = textIn(call, 'arguments');
  if (text === undefined) return {};
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const MOST_WORDS = 120;

/** A call in a line of words. @example 'exec_command: ls -la' */
export function callWords(call: Fields): string {
  const args = readArguments(call);
  const name = textIn(call, 'name') ?? textIn(call, 'type') ?? 'call';
  const command = args['cmd'] ?? args['command'];
  const shown = Array.isArray(command) ? command.join(' ') : command;
  const more = typeof shown === 'string' ? shown : (textIn(call, 'input') ?? '');
  return brief(more === '' ? name : `${name}: ${more}`, MOST_WORDS);
}

/** What a person said, in the event of either form. */
export function userWords(payload: Fields): string | undefined {
  const said = textIn(payload, 'message');
  if (said !== undefined) return said;
  const item = recordOf(payload['item']);
  if (item['type'] !== 'UserMessage') return undefined;
  return records(item['content'])
    .flatMap((part) => textIn(part, 'text') ?? [])
    .join('\n');
}
