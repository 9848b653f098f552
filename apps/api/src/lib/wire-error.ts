import { InspectorError } from '@checkpoint-inspector/core';
import type { WireError } from '@checkpoint-inspector/core';
import { HTTPException } from 'hono/http-exception';
import { StatusError } from './status-error.ts';

/**
 * What a client may see of any thrown value: an InspectorError as it is; of
 * everything else nothing, because messages of drivers hold paths.
 */
export function publicError(thrown: unknown): InspectorError {
  if (thrown instanceof HTTPException && thrown.status < 500) {
    return new StatusError(thrown.status, thrown.status === 413 ? 'too_large' : 'invalid_input', `${thrown.message}.`);
  }
  if (InspectorError.is(thrown) && thrown.code !== 'internal') return thrown;
  return new InspectorError('internal', 'Something went wrong in the inspector.', { cause: thrown });
}

/** Code, message and remedy; `data` stays out. */
export function brief(thrown: unknown): Omit<WireError['error'], 'data'> {
  const { code, message, remedy } = publicError(thrown);
  return { code, message, remedy };
}
