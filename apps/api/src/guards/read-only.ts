import { InspectorError } from '@checkpoint-inspector/core';

/** @throws InspectorError read_only */
export function assertWritable(status: { readonly readOnly: boolean }): void {
  if (status.readOnly) throw new InspectorError('read_only', 'This server was started read-only.');
}
