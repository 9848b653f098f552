import { ERROR_CODES, type ErrorCode, InspectorError } from '@checkpoint-inspector/core';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { anObject, aText, fields, parseOrUndefined } from './read.ts';
import { untilUnchanging } from './refresh.ts';
import { readToken, refuseToken } from './token.ts';

const wireError = fields({ error: fields({ code: aText, message: aText, remedy: aText, data: anObject }) });

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

/** `fetch` with the token; every failure is an InspectorError, with the server's own words where it answered. */
export async function authorisedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET' } = init;
  if (method === 'GET') await untilUnchanging(urlOf(input));
  const headers = new Headers(init.headers);
  const sent = readToken();
  if (sent !== undefined) headers.set('authorization', `Bearer ${sent}`);
  const response = await send(input, { ...init, headers });
  if (response.ok || response.status === 304) return response;
  // A token that arrived while this request was under way must not be thrown away with the old one.
  if (response.status === 401 && readToken() === sent) refuseToken();
  throw await errorOf(response);
}

const urlOf = (input: RequestInfo | URL): string =>
  typeof input === 'string' ? input : 'url' in input ? input.url : input.href;

async function send(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new InspectorError('internal', 'The server does not answer.', {
      cause,
      remedy: 'Start checkpoint-inspector again; this page reconnects by itself.',
      data: { offline: true },
    });
  }
}

async function errorOf(response: Response): Promise<InspectorError> {
  const text = await response.text().catch(() => '');
  const { code, message, remedy, data } = wireError(parseOrUndefined(text)).error ?? {};
  if (code === undefined || message === undefined) {
    return new InspectorError('internal', `The server answered ${response.status} ${response.statusText}.`.trim());
  }
  return new InspectorError(isCode(code) ? code : 'internal', message, {
    ...(remedy === undefined ? {} : { remedy }),
    ...(data === undefined ? {} : { data }),
  });
}

// What the server sends piece by piece: events, and lines of JSON.

export type ServerEvent = EventSourceMessage & { readonly event: string };

/** The text of a stream, in the parts in which it comes; whoever stops reading cancels it. */
async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield decoder.decode(value, { stream: !done });
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @example for await (const event of readEvents(response.body)) … */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const events: ServerEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push({ ...event, event: event.event ?? 'message' }) });
  for await (const text of readText(body)) {
    parser.feed(text);
    yield* events.splice(0);
  }
}

/**
 * The lines that each part of the stream ends.
 * @throws SyntaxError when a line isn't JSON
 * @example for await (const lines of readLines(body)) …
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  let rest = '';
  for await (const text of readText(body)) {
    const texts = (rest + text).split('\n');
    rest = texts.pop() ?? '';
    const lines = texts.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [JSON.parse(rest) as unknown];
}
