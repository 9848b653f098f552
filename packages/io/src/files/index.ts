export { errnoOf, fileError } from './errors.ts';
export { gunzipBounded, looksLikeBomb } from './gunzip.ts';
export { fileEntries, fileEntry, fileStamp, listFolder, type FileEntry } from './list.ts';
export { realPath } from './list.ts';
export { privateFile } from './private-file.ts';
export type { JsonPart, JsonPlace } from './json-parts.ts';
export {
  MAX_FILE_BYTES,
  readBounded,
  readHead,
  readSmall,
  readJsonParts,
  readPieces,
  readRange,
  type ReadLimits,
} from './read.ts';
export { decodeUtf8, sha256 } from './text.ts';
export { watchFolder, type WatchOptions } from './watch.ts';
