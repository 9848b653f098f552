export { editedDocument, setMembers } from './document.ts';
export type { AddedEnvelope, EnvelopeName } from './envelopes.ts';
export { addedEnvelopes } from './envelopes.ts';
export type { ShapeWarning } from './shape.ts';
export { checkShape, SHAPE_WARNINGS } from './shape.ts';
export type { EditRules } from './text.ts';
export { asciiJson, editWarnings, editWords, MAX_EDIT_BYTES, placeOf, readEdit } from './text.ts';
