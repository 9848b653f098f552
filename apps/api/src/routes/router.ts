import { createRoute, OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi';
import type { Context, Handler } from 'hono';
import { invalidInput } from '../lib/invalid.ts';
import {
  InspectorError,
  withOptions,
  type CallOptions,
  type CheckpointSource,
  type StoreId,
} from '@checkpoint-inspector/core';
import type { StoreService } from '@checkpoint-inspector/inspector';

/** A router whose refused input becomes `invalid_input`, naming the value. */
export function router() {
  const routes = new OpenAPIHono({
    defaultHook: (result) => {
      if (result.success) return;
      // The validator hands over what it checked, though its types do not say so.
      throw invalidInput(result.error, result.target, Reflect.get(result, 'data'));
    },
  });
  const { openapi } = routes;
  const add = (route: Route, handler: Handler): typeof routes => {
    const { params, query, ...others } = route.request ?? {};
    // Whatever else a route has is for the library to heed.
    if (route.middleware || route.hide || Object.keys(others).length > 0) return openapi(route, handler);
    routes.openAPIRegistry.registerPath(route);
    routes.on(route.method, route.getRoutingPath(), checkedAtOnce({ params, query }, handler));
    return routes;
  };
  return Object.assign(routes, { openapi: add as typeof openapi });
}

type Route = ReturnType<typeof createRoute>;
type Address = Pick<NonNullable<Route['request']>, 'params' | 'query'>;

/**
 * An address is checked where it is answered: for each part of a request the validator of routes would add a function
 * that is waited for, though there is nothing to wait for, and zod compiles only what it need not wait for.
 */
function checkedAtOnce({ params, query }: Address, handler: Handler): Handler {
  return (c, next) => {
    if (query) c.req.addValidatedData('query', checked(query, 'query', queryOf(c)));
    if (params) c.req.addValidatedData('param', checked(params, 'param', c.req.param()));
    return handler(c, next);
  };
}

/** @throws InspectorError invalid_input */
function checked(schema: Pick<z.ZodType, 'safeParse'>, target: string, given: unknown): object {
  const { data, error } = schema.safeParse(given);
  if (error) throw invalidInput(error, target, given);
  return Object(data);
}

/** A name that is there several times has a list. */
function queryOf(c: Context): Record<string, string | string[] | undefined> {
  const all: Record<string, string | string[] | undefined> = c.req.queries();
  for (const name in all) if (all[name]?.length === 1) all[name] = all[name][0];
  return all;
}

/** One JSON answer of a route. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** A route that reads, with one answer. @example reads('/status', 'Version and mode', json(statusSchema, 'Status'), {}) */
export function reads<
  const Path extends string,
  Answer extends RouteConfig['responses'][string],
  Request extends NonNullable<RouteConfig['request']>,
>(path: Path, summary: string, answer: Answer, request: Request) {
  return createRoute({ method: 'get', path, summary, request, responses: { 200: answer } });
}

/** JSON that is written already; its type is that of the route's schema, which tests of the route hold. */
export function jsonText(c: Context, bytes: Uint8Array<ArrayBuffer>): never {
  return c.body(bytes, 200, { 'content-type': 'application/json; charset=utf-8' }) as never;
}

/** A required JSON body. */
export function body<T extends z.ZodType>(schema: T) {
  return { required: true, content: { 'application/json': { schema } } };
}

/** @throws InspectorError read_only */
export function assertWritable(status: { readonly readOnly: boolean }): void {
  if (status.readOnly) throw new InspectorError('read_only', 'This server was started read-only.');
}

/** A store as this request asks it: what its client no longer waits for is not read on. @throws InspectorError not_found */
export function sourceFor(
  c: Context,
  stores: Pick<StoreService, 'source'>,
  store: StoreId,
  partial = false,
): CheckpointSource {
  return withOptions(stores.source(store), new Asking(c, partial));
}

/**
 * A class, and no literal with a getter: of each of those V8 makes a shape of its own, which holds what the getter
 * sees, here the whole request, until all memory is collected.
 */
class Asking implements CallOptions {
  readonly partial: boolean;
  readonly reading: object | undefined;
  readonly #c: Context;

  constructor(c: Context, partial: boolean) {
    this.#c = c;
    this.partial = partial;
    // An object of its own: whoever keeps it doesn't keep the request.
    this.reading = c.req.method === 'GET' ? {} : undefined;
  }

  /** Made only for what has to be waited for. */
  get signal(): AbortSignal {
    return this.#c.req.raw.signal;
  }
}
