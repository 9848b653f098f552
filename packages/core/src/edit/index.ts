export { addedEnvelopes, editedDocument, setMembers } from './document.ts';
export { checkShape, SHAPE_WARNINGS, type ShapeWarning } from './shape.ts';
export { asciiJson, editWarnings, editWords, MAX_EDIT_BYTES, placeOf, readEdit, type EditRules } from './text.ts';
