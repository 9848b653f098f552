import { InspectorError, pathOf, type System } from '@checkpoint-inspector/core';
import { findFolder } from './detect.ts';
import { AgentFrameworkSource } from './read.ts';

export * from './api/index.ts';
export { AgentFrameworkSource, type AgentFrameworkOptions } from './read.ts';
export { payloadsOf, type Payload } from './payloads.ts';

/**
 * Microsoft Agent Framework: folders of Python, of .NET, and of the TypeScript interface in `api/`.
 * @example const [source] = await agentFrameworkSystem.open(target, options);
 */
export const agentFrameworkSystem: System = {
  id: 'agent-framework',
  label: 'Agent Framework',
  detect: async (target) => (await findFolder(target))?.match,
  open: async (target, options) => {
    const found = await findFolder(target);
    if (!found) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" holds no checkpoint files of Agent Framework.`, {
        data: { path, lookedFor: ['<id>.json with checkpoint_id or checkpointId', 'index.jsonl'] },
      });
    }
    const { folder, layout } = found;
    const { label, location } = options;
    return [await AgentFrameworkSource.open({ folder, layout, id: options.nameStore(label), label, location })];
  },
};
