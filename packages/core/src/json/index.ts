export { memberOf, quoteJson, sourceOf, stringOf } from './node.ts';
export type { JsonArray, JsonMember, JsonNode, JsonObject, JsonScalar } from './node.ts';
export { parseJson } from './read.ts';
export { walkJson, type JsonVisit } from './walk.ts';
export { formatPath, parsePath, valueAt, type Path } from './path.ts';
export { patchJson, setMember, type Edit as JsonEdit } from './patch.ts';
export { leadingTexts } from './leading.ts';
export { oneLineJson, readableJson, readableText } from './readable.ts';
export { isPlainJson, isPlainValue, toJsonText } from './write.ts';
export { fromJsonText } from './value.ts';
export { equalJson, equalNodes } from './equal.ts';
export { indexJson, stringEnd, type Container, type JsonIndex } from './skim.ts';
export {
  locateValue,
  partOf,
  type Part,
  type PartChild,
  type PartQuery,
  type TrailStep,
  type ValueNote,
} from './part.ts';
export { findInJson, type FoundPiece, type JsonMatch } from './find.ts';
export { blobAt, blobDigits, type BlobNote } from './blob.ts';
