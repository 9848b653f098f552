/** Errors on their way from a store to a reader. */
import { InspectorError, type WireError } from '@checkpoint-inspector/core';

/**
 * What a client may see of any thrown value: an InspectorError as it is; of
 * everything else nothing, because messages of drivers hold paths.
 */
export function shownError(thrown: unknown): InspectorError {
  if (InspectorError.is(thrown) && thrown.code !== 'internal') return thrown;
  return new InspectorError('internal', 'Something went wrong in the inspector.', { cause: thrown });
}

/** Code, message and remedy; `data` stays out. */
export function brief(thrown: unknown): Omit<WireError['error'], 'data'> {
  const { code, message, remedy } = shownError(thrown);
  return { code, message, remedy };
}
