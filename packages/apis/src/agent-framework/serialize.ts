import { fromJsonText, InspectorError, toJsonText } from '@checkpoint-inspector/core';
import {
  CheckpointSerializationError,
  CheckpointStorageError,
  CorruptCheckpointError,
  InvalidCheckpointError,
} from './errors.ts';
import type { WorkflowCheckpoint } from './types.ts';

/** A Date among the free values. An object that looks like this, or like the next, is put into the next. */
const DATE = '$date';
const LITERAL = '$literal';
const MAX_DEPTH = 1000;

/** As deep as the data of a pending message is in the document. */
const PENDING_DEPTH = 3;

const TEXTS = ['checkpointId', 'workflowId', 'executionId', 'graphSignatureHash'];

/**
 * A checkpoint as JSON text. `timestamp` of the checkpoint and of pending messages are ISO 8601 in UTC; a Date anywhere
 * else is `{"$date": "<ISO>"}`, so that it comes back as a Date.
 * @throws InvalidCheckpointError | CheckpointSerializationError, both with `data.path` | CheckpointStorageError
 * (`too_large`)
 * @example const text = serializeCheckpoint(checkpoint);
 */
export function serializeCheckpoint(checkpoint: WorkflowCheckpoint): string {
  assertCheckpoint(checkpoint);
  const pending = checkpoint.pendingMessages.map((message) => ({
    ...message,
    data: withoutDates(message.data, '$.pendingMessages', PENDING_DEPTH),
    timestamp: message.timestamp.toISOString(),
  }));
  const { timestamp, pendingMessages: _, ...rest } = checkpoint;
  const plain = withoutDates(rest, '$');
  const value = { ...(plain as object), pendingMessages: pending, timestamp: timestamp.toISOString() };
  try {
    return toJsonText(inOrder(value));
  } catch (cause) {
    const { code, message, data } = InspectorError.from(cause);
    if (code === 'too_large') throw new CheckpointStorageError(cause);
    throw new CheckpointSerializationError(message, { cause, ...(data ? { data } : {}) });
  }
}

/**
 * The checkpoint in a JSON text, with Dates again.
 * @throws CorruptCheckpointError
 * @example const checkpoint = deserializeCheckpoint(await readFile('run-1_writer.json', 'utf8'));
 */
export function deserializeCheckpoint(text: string): WorkflowCheckpoint {
  try {
    const value = withDates(fromJsonText(text));
    if (isObject(value)) {
      setDate(value, 'timestamp');
      const pending = Reflect.get(value, 'pendingMessages');
      for (const message of Array.isArray(pending) ? pending : []) if (isObject(message)) setDate(message, 'timestamp');
    }
    assertCheckpoint(value);
    return value;
  } catch (cause) {
    const { message, data } = InspectorError.from(cause);
    throw new CorruptCheckpointError(`Not a checkpoint: ${message}`, { cause, ...(data ? { data } : {}) });
  }
}

/**
 * Checks that a value has the shape of a checkpoint.
 * @throws InvalidCheckpointError, `data.path` names the first member that is wrong
 * @example assertCheckpoint(JSON.parse(text));
 */
export function assertCheckpoint(value: unknown): asserts value is WorkflowCheckpoint {
  if (!isObject(value)) throw wrong('$', 'an object');
  const at = (key: string): unknown => Reflect.get(value, key);
  for (const key of TEXTS) if (typeof at(key) !== 'string') throw wrong(`$.${key}`, 'a text');
  if (!isDate(at('timestamp'))) throw wrong('$.timestamp', 'a valid Date');
  for (const key of ['executorStates', 'sharedState']) if (!isObject(at(key))) throw wrong(`$.${key}`, 'an object');
  for (const [id, state] of Object.entries(at('executorStates') ?? {})) {
    if (!isObject(state)) throw wrong(`$.executorStates.${id}`, 'an object');
    if (typeof Reflect.get(state, 'executorId') !== 'string')
      throw wrong(`$.executorStates.${id}.executorId`, 'a text');
    if (typeof Reflect.get(state, 'completed') !== 'boolean')
      throw wrong(`$.executorStates.${id}.completed`, 'a boolean');
  }
  assertPending(at('pendingMessages'));
  for (const key of ['executionContext', 'metadata']) {
    if (at(key) !== undefined && !isObject(at(key))) throw wrong(`$.${key}`, 'an object, or absent');
  }
}

function assertPending(pending: unknown): void {
  if (!Array.isArray(pending)) throw wrong('$.pendingMessages', 'an array');
  for (const [index, message] of pending.entries()) {
    const path = `$.pendingMessages[${index}]`;
    if (!isObject(message)) throw wrong(path, 'an object');
    for (const key of ['requestId', 'executorId']) {
      if (typeof Reflect.get(message, key) !== 'string') throw wrong(`${path}.${key}`, 'a text');
    }
    if (!isDate(Reflect.get(message, 'timestamp'))) throw wrong(`${path}.timestamp`, 'a valid Date');
  }
}

function wrong(path: string, wanted: string): InvalidCheckpointError {
  return new InvalidCheckpointError(`${path} is not ${wanted}.`, { path });
}

/** The members in the order of the interface. */
function inOrder(value: object): object {
  const first = ['checkpointId', 'workflowId', 'executionId', 'timestamp', 'graphSignatureHash', 'executorStates'];
  const order = [...first, 'pendingMessages', 'sharedState', 'executionContext', 'metadata'];
  const members = new Map(Object.entries(value));
  return Object.fromEntries([...new Set([...order, ...members.keys()])].map((key) => [key, members.get(key)]));
}

function withoutDates(value: unknown, path: string, depth = 0): unknown {
  if (value instanceof Date) {
    if (isDate(value)) return { [DATE]: value.toISOString() };
    throw new CheckpointSerializationError(`The Date at ${path} is invalid.`, { data: { path } });
  }
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item, index) => withoutDates(item, `${path}[${index}]`, depth + 1));
  if (!isPlain(value)) return value;
  const present = Object.entries(value).filter(([, item]) => item !== undefined);
  const plain = Object.fromEntries(
    present.map(([key, item]) => [key, withoutDates(item, `${path}.${key}`, depth + 1)]),
  );
  return isMarker(plain) ? { [LITERAL]: plain } : plain;
}

function withDates(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => withDates(item, depth + 1));
  if (!isPlain(value)) return value;
  const date: unknown = isMarker(value) ? Reflect.get(value, DATE) : undefined;
  if (typeof date === 'string') return new Date(date);
  const literal: unknown = isMarker(value) ? Reflect.get(value, LITERAL) : undefined;
  const entries = Object.entries(isPlain(literal) ? literal : value);
  return Object.fromEntries(entries.map(([key, item]) => [key, withDates(item, depth + 1)]));
}

function tooDeep(): CheckpointSerializationError {
  return new CheckpointSerializationError(`The checkpoint contains a cycle, or is nested more than ${MAX_DEPTH} deep.`);
}

function isMarker(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && (keys[0] === DATE || keys[0] === LITERAL);
}

function setDate(value: object, key: string): void {
  const stored: unknown = Reflect.get(value, key);
  if (typeof stored === 'string') Reflect.set(value, key, new Date(stored));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Neither an array nor an instance of a class: those are refused by name when the text is written. */
function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (isObject(prototype) && Object.getPrototypeOf(prototype) === null);
}

function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
