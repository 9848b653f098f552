/** The few members of a message or part that lists need, as SQLite takes them out of the stored JSON. */
import { timeOf } from './sessions.ts';
import { tokenSum } from './view.ts';

/** In `info` of an event; a row's data is the same without the ids. */
export const MESSAGE_PATHS = [
  'id',
  'role',
  'parentID',
  'agent',
  'modelID',
  'time.created',
  'time.completed',
  'finish',
  'mode',
  'cost',
  'tokens',
  'error.name',
  'error.data.message',
] as const;

export interface MessageFacts {
  readonly id: string;
  readonly role: string;
  readonly parentId?: string;
  readonly agent?: string;
  readonly model?: string;
  /** In ms since 1970, as all times here. */
  readonly created?: number;
  readonly completed?: number;
  readonly finish?: string;
  /** A summary that stands in for what was before it. */
  readonly isSummary: boolean;
  readonly cost?: number;
  readonly tokens?: number;
  readonly error?: MessageError;
}

export interface MessageError {
  readonly name: string;
  /** In words, as the system has them. */
  readonly text: string;
  /** A person stopped it. */
  readonly isAbort: boolean;
}

export const PART_PATHS = [
  'id',
  'messageID',
  'type',
  'tool',
  'callID',
  'state.status',
  'state.title',
  'state.time.start',
  'state.time.end',
  'state.metadata.sessionId',
] as const;

export interface PartFacts {
  readonly id: string;
  readonly messageId: string;
  readonly type: string;
  readonly tool?: string;
  readonly callId?: string;
  readonly status?: string;
  readonly title?: string;
  readonly start?: number;
  readonly end?: number;
  /** Of a sub-agent that the call started. */
  readonly session?: string;
  /** The beginning of its text. */
  readonly words?: string;
}

/** `undefined` for what isn't a message. */
export function messageFacts(values: readonly unknown[]): MessageFacts | undefined {
  const [id, role, parentId, agent, model, created, completed, finish, mode, cost, tokens, name, message] = values;
  if (typeof id !== 'string' || typeof role !== 'string') return undefined;
  return {
    id,
    role,
    ...text('parentId', parentId),
    ...text('agent', agent),
    ...text('model', model),
    ...time('created', created),
    ...time('completed', completed),
    ...text('finish', finish),
    isSummary: role === 'assistant' && mode === 'compaction',
    ...(typeof cost === 'number' ? { cost } : {}),
    ...tokensIn(tokens),
    ...(typeof name === 'string' ? { error: errorOf(name, message) } : {}),
  };
}

/** `undefined` for what isn't a part. */
export function partFacts(values: readonly unknown[], words: string | null): PartFacts | undefined {
  const [id, messageId, type, tool, callId, status, title, start, end, session] = values;
  if (typeof id !== 'string' || typeof messageId !== 'string' || typeof type !== 'string') return undefined;
  return {
    id,
    messageId,
    type,
    ...text('tool', tool),
    ...text('callId', callId),
    ...text('status', status),
    ...text('title', title),
    ...time('start', start),
    ...time('end', end),
    ...text('session', session),
    ...text('words', words),
  };
}

export function errorOf(name: string, message: unknown): MessageError {
  const text = typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
  return { name, text, isAbort: name === 'MessageAbortedError' };
}

function tokensIn(stored: unknown): { tokens?: number } {
  const tokens = tokenSum(stored);
  return tokens === undefined || tokens === 0 ? {} : { tokens };
}

function text<K extends string>(key: K, value: unknown): { [key in K]?: string } {
  return typeof value === 'string' ? ({ [key]: value } as { [key in K]?: string }) : {};
}

function time<K extends string>(key: K, value: unknown): { [key in K]?: number } {
  const known = timeOf(value);
  return known === undefined ? {} : ({ [key]: known } as { [key in K]?: number });
}
