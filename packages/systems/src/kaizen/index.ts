import { InspectorError, pathOf, type System } from '@checkpoint-inspector/core';
import { findFolder } from './detect.ts';
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
export const kaizenSystem: System = {
  id: 'kaizen',
  label: 'Kaizen',
  detect: async (target) => (await findFolder(target))?.match,
  open: async (target, options) => {
    const found = await findFolder(target);
    if (!found) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" holds no Kaizen checkpoint files.`, {
        data: {
          path,
          lookedFor: ['*.jsonl', '*.jsonl.gz', '*.enc.jsonl', '*.enc.gz.jsonl', '.kaizen/checkpoints'],
        },
      });
    }
    const { label, location } = options;
    return [await KaizenSource.open({ folder: found.folder, id: options.nameStore(label), label, location })];
  },
};
