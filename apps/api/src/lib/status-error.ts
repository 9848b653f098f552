import { InspectorError } from '@checkpoint-inspector/core';
import type { ErrorCode } from '@checkpoint-inspector/core';

/** An InspectorError whose HTTP status is more exact than the table's (415, 428). */
export class StatusError extends InspectorError {
  readonly #status: number;

  constructor(status: number, code: ErrorCode, message: string, remedy?: string) {
    super(code, message, remedy === undefined ? {} : { remedy });
    this.#status = status;
  }

  override get status(): number {
    return this.#status;
  }
}
