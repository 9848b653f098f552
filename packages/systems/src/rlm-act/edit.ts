import { editWarnings, editedDocument, type EditRequest, type PlanWarning } from '@checkpoint-inspector/core';

/**
 * The edited document, still with the two tokens that the save sets. Author and reason have no place in the format:
 * the receipt keeps them. @throws InspectorError invalid_input | too_large
 */
export function editOf(
  request: EditRequest,
  original: string,
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  const text = editedDocument(request.text, original);
  return { text, warnings: editWarnings(original, text, ['id', 'timestamp']) };
}
