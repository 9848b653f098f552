import { InspectorError, pathOf, type System } from '@checkpoint-inspector/core';
import { findFolder } from './detect.ts';
import { CHECKPOINTS_FOLDER } from './names.ts';
import { RlmActSource } from './read.ts';

export * from './api/index.ts';
export { CHECKPOINTS_FOLDER } from './names.ts';
export { PHASES } from './view.ts';
export { RlmActSource, type RlmActOptions } from './read.ts';

/**
 * The checkpoints of the rlm-act pipeline: one JSON document per file in a project's folder.
 * @example const [source] = await rlmActSystem.open(target, options);
 */
export const rlmActSystem: System = {
  id: 'rlm-act',
  label: 'rlm-act',
  detect: async (target) => (await findFolder(target))?.match,
  open: async (target, options) => {
    const found = await findFolder(target);
    if (!found) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" holds no rlm-act checkpoint files.`, {
        data: { path, lookedFor: [`${CHECKPOINTS_FOLDER}/*.json`] },
      });
    }
    const { label, location } = options;
    return [await RlmActSource.open({ folder: found.folder, id: options.nameStore(label), label, location })];
  },
};
