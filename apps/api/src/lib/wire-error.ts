import type { InspectorError } from '@checkpoint-inspector/core';
import { shownError } from '@checkpoint-inspector/inspector';
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
  return shownError(thrown);
}
