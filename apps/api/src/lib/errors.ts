import { InspectorError } from '@checkpoint-inspector/core';
import type { ErrorCode } from '@checkpoint-inspector/core';
import { shownError } from '@checkpoint-inspector/inspector';
import { HTTPException } from 'hono/http-exception';

export interface StatusErrorOptions {
  readonly remedy?: string;
  /** What HTTP wants beside the status: `Allow` of a 405, `Content-Range` of a 416. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An InspectorError whose HTTP status is more exact than the table's (405, 415, 416, 428). */
export class StatusError extends InspectorError {
  readonly #status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode, message: string, { remedy, headers = {} }: StatusErrorOptions = {}) {
    super(code, message, remedy === undefined ? {} : { remedy });
    this.#status = status;
    this.headers = headers;
  }

  override get status(): number {
    return this.#status;
  }
}

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
