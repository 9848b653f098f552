import { editWarnings, editedDocument, type EditRequest, type PlanWarning } from '@checkpoint-inspector/core';

/** Members that belong to the place of a checkpoint, not to its state. */
const SET_BY_SAVE = ['checkpoint_id', 'agent_id', 'timestamp', 'parent_checkpoint_id'];

/**
 * The edited document, still with the tokens that the save sets. Author and reason have no place in Kaizen's format:
 * the receipt keeps them. @throws InspectorError invalid_input | too_large
 */
export function editOf(
  request: EditRequest,
  original: string,
  encrypted: boolean,
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  // The line end behind the document is not part of the state.
  const text = editedDocument(request.text.replace(/[\r\n]+$/, ''), original);
  const warnings = editWarnings(original, text, SET_BY_SAVE);
  return { text, warnings: encrypted ? warnings.map(wordless) : warnings };
}

/** What was decrypted is not quoted anywhere. */
function wordless(warning: PlanWarning): PlanWarning {
  if (warning.code !== 'duplicate_key') return warning;
  return { ...warning, message: 'A key stands twice in the text; the last one counts.' };
}
