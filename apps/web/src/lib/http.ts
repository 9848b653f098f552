import { ERROR_CODES, InspectorError, type ErrorCode } from '@checkpoint-inspector/core';
import * as z from 'zod/mini';
import { readToken, refuseToken } from './token.ts';

const wireError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    remedy: z.optional(z.string()),
    data: z.optional(z.record(z.string(), z.unknown())),
  }),
});

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

/** `fetch` with the token; every failure is an InspectorError, with the server's own words where it answered. */
export async function authorisedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const sent = readToken();
  if (sent !== undefined) headers.set('authorization', `Bearer ${sent}`);
  const response = await send(input, { ...init, headers });
  if (response.ok || response.status === 304) return response;
  // A token that arrived while this request was under way must not be thrown away with the old one.
  if (response.status === 401 && readToken() === sent) refuseToken();
  throw await errorOf(response);
}

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
  const parsed = wireError.safeParse(parseOrUndefined(text));
  if (!parsed.success) {
    return new InspectorError('internal', `The server answered ${response.status} ${response.statusText}.`.trim());
  }
  const { code, message, remedy, data } = parsed.data.error;
  return new InspectorError(isCode(code) ? code : 'internal', message, {
    ...(remedy === undefined ? {} : { remedy }),
    ...(data === undefined ? {} : { data }),
  });
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
