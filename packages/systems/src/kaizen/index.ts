import { folderSystem } from '../folder/index.ts';
import { finder } from './detect.ts';
import { KaizenSource } from './read.ts';

export * from './api/index.ts';
export { KAIZEN_KEYS, type KaizenKey } from './document.ts';
export { isSafeId, kaizenFileName } from './names.ts';
export { KaizenSource, type KaizenOptions } from './read.ts';
export { JsonNumber, pythonJson } from './python-json.ts';
export { kaizenDocument, jsonNumber, type KaizenFields } from './write.ts';

/**
 * Kaizen's file store: one JSON document per checkpoint in a flat folder.
 * @example const [source] = await kaizenSystem.open(target, options);
 */
export const kaizenSystem = folderSystem({
  id: 'kaizen',
  label: 'Kaizen',
  files: 'Kaizen checkpoint files',
  lookedFor: ['*.jsonl', '*.jsonl.gz', '*.enc.jsonl', '*.enc.gz.jsonl', '.kaizen/checkpoints'],
  finder,
  open: KaizenSource.open,
});
