import { folderSystem } from '../folder/index.ts';
import { finder } from './detect.ts';
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
export const rlmActSystem = folderSystem({
  id: 'rlm-act',
  label: 'rlm-act',
  files: 'rlm-act checkpoint files',
  lookedFor: [`${CHECKPOINTS_FOLDER}/*.json`],
  finder,
  open: RlmActSource.open,
});
