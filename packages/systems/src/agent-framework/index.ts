import { folderSystem } from '../folder/index.ts';
import { finder } from './detect.ts';
import { AgentFrameworkSource } from './read.ts';

export { generateCheckpointId } from './document.ts';
export {
  compareGraphs,
  computeGraphSignature,
  isGraphDescription,
  type GraphDescription,
  type GraphDifference,
  type GraphEdge,
  type GraphExecutor,
} from './graph.ts';
export { AgentFrameworkSource, type AgentFrameworkOptions } from './read.ts';
export { payloadsOf, type Payload } from './payloads.ts';

/**
 * Microsoft Agent Framework: folders of Python, of .NET, and of the TypeScript interface.
 * @example const [source] = await agentFrameworkSystem.open(target, options);
 */
export const agentFrameworkSystem = folderSystem({
  id: 'agent-framework',
  label: 'Agent Framework',
  files: 'Agent Framework checkpoint files',
  lookedFor: ['<id>.json with checkpoint_id or checkpointId', 'index.jsonl'],
  finder,
  open: (options, { layout }) => AgentFrameworkSource.open({ ...options, layout }),
});
