import { InspectorError } from '@checkpoint-inspector/core';
import type { WireError } from '@checkpoint-inspector/core';

/** An error from another thread or process: code and words as they were; of a defect only the message, for the log. */
export function fromWire({ code, message, remedy, data }: WireError['error']): InspectorError {
  return new InspectorError(code, message, { remedy, ...(data === undefined ? {} : { data }) });
}
