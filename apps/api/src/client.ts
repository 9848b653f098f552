/** The typed client. Browser-safe: of the server only types are imported. */
import { InspectorError, ERROR_CODES, type ErrorCode, type WireError } from '@checkpoint-inspector/core';
import { hc } from 'hono/client';
import type { AppType } from './routes/index.ts';

export type { AppType };

export interface ClientOptions {
  /** Origin of the server; '' or the page's own origin in the browser. */
  readonly baseUrl: string;
  readonly token: string;
  /** Default: the global fetch. */
  readonly fetch?: typeof fetch;
}

export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * A typed client of the HTTP API. Ids in paths go through `idToSegment`; an
 * answer that is not ok throws the server's InspectorError.
 * @throws InspectorError as the server sent it; TypeError of fetch when the server cannot be reached
 * @example
 * const api = createApiClient({ baseUrl: location.origin, token }).api;
 * const { items } = await (await api.tasks.$get({ query: { limit: '50' } })).json();
 */
export function createApiClient(options: ClientOptions) {
  const send = options.fetch ?? fetch;
  return hc<AppType>(options.baseUrl, {
    headers: { authorization: `Bearer ${options.token}` },
    fetch: async (...request: Parameters<typeof fetch>) => checked(await send(...request)),
  });
}

async function checked(response: Response): Promise<Response> {
  if (response.ok || response.status === 304) return response;
  throw await errorOf(response);
}

/** The InspectorError of an answer that is not ok. */
export async function errorOf(response: Response): Promise<InspectorError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isWireError(body)) return new InspectorError('internal', `The server answered ${response.status}.`);
  const { code, message, remedy, data } = body.error;
  return new InspectorError(code, message, { remedy, ...(data === undefined ? {} : { data }) });
}

function isWireError(body: unknown): body is WireError {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  if (typeof error !== 'object' || error === null) return false;
  return 'code' in error && isErrorCode(error.code) && 'message' in error && 'remedy' in error;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
