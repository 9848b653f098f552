import { ERROR_CODES, type ErrorCode, InspectorError } from '@checkpoint-inspector/core';
import { anObject, aText, fields, parseOrUndefined } from './read.ts';
import { untilUnchanging } from './refresh.ts';
import { readToken, refuseToken } from './token.ts';

const wireError = fields({ error: fields({ code: aText, message: aText, remedy: aText, data: anObject }) });

let transport: typeof fetch = (input, init) => fetch(input, init);

/** Who answers from now on, in place of the server that the page came from. */
export function answerFrom(answers: typeof fetch): void {
  transport = answers;
}

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
    return await transport(input, init);
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
