import { InspectorError } from '@checkpoint-inspector/core';
import type { LargeStates } from '@checkpoint-inspector/inspector';
import type { HonoRequest, MiddlewareHandler } from 'hono';

/** Reading a longer JSON text would hold up other requests. */
const LARGE_BYTES = 1_000_000;

/** JSON bodies that are large are read by another thread; whoever asks for the JSON of the request is given that. */
export function readLargeBodies(states: Pick<LargeStates, 'json'>): MiddlewareHandler {
  return async (c, next) => {
    const { req } = c;
    const length = Number(req.header('content-length'));
    if (req.method === 'POST' && !(length <= LARGE_BYTES)) {
      const bytes = await bytesOf(req, length);
      const read = bytes.length > LARGE_BYTES ? states.json(bytes) : undefined;
      // That it isn't JSON is told by whoever needs it.
      const value = await read?.catch((thrown: unknown) => {
        if (InspectorError.from(thrown).code !== 'invalid_input') throw thrown;
        return NOT_JSON;
      });
      const given = async (): Promise<unknown> => {
        if (value === NOT_JSON) throw new SyntaxError('The body is not JSON.');
        return value;
      };
      if (read !== undefined) Object.assign(req, { json: given });
    }
    await next();
  };
}

/** Each part is copied as it comes: to join them at the end would copy all of a large body in one go. */
async function bytesOf(req: HonoRequest, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = req.raw;
  if (Number.isNaN(length) || body === null) return new Uint8Array(await req.arrayBuffer());
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const part of body) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const NOT_JSON = Symbol('not JSON');
