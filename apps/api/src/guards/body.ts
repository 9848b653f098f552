import { InspectorError } from '@checkpoint-inspector/core';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { StatusError } from '../lib/errors.ts';

const MIB = 1024 * 1024;
export const MAX_BODY_BYTES = 8 * MIB;
/** A plan's request may hold a whole edited state, as a string with its quotes escaped. */
export const MAX_PLAN_BODY_BYTES = 64 * MIB;
const PLANS = '/api/plans';

const usual = limitOf(MAX_BODY_BYTES);
const forPlans = limitOf(MAX_PLAN_BODY_BYTES);

function limitOf(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new InspectorError('too_large', `This request may hold ${maxSize / MIB} MiB.`, {
        data: { limit: maxSize },
      });
    },
  });
}

/** Bodies are plain JSON of at most 8 MiB, of plans 64: anything else is refused before it is parsed. */
export const guardBody: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity') throw unsupportedType('Compressed bodies are not read.');
  const type = c.req.header('content-type');
  if (type === undefined ? hasBody(c) : !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw unsupportedType('A body must be application/json.');
  }
  return (c.req.path === PLANS ? forPlans : usual)(c, next);
};

function hasBody(c: Context): boolean {
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) !== 0;
}

function unsupportedType(message: string): StatusError {
  return new StatusError(415, 'invalid_input', message, {
    remedy: 'Send JSON with the header content-type: application/json.',
  });
}
