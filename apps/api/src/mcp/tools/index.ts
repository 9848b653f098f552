/** Every tool, in the order in which clients list them. */
import type { McpTool } from '../tool.ts';
import { listTool, showTool } from './checkpoints.ts';
import { compareTool } from './compare.ts';
import { CTX_SYS_TOOLS } from './ctx-sys.ts';
import { diffTool } from './diff.ts';
import { errorsTool } from './errors.ts';
import { explainTool } from './explain.ts';
import { historyTool } from './history.ts';
import { PROPOSE_TOOLS } from './propose.ts';
import { searchTool } from './search.ts';
import { storesTool, tasksTool } from './stores.ts';
import { treeTool, usageTool } from './tree.ts';

export const TOOLS: readonly McpTool[] = [
  ...CTX_SYS_TOOLS,
  storesTool,
  tasksTool,
  errorsTool,
  explainTool,
  listTool,
  showTool,
  diffTool,
  compareTool,
  historyTool,
  searchTool,
  treeTool,
  usageTool,
  ...PROPOSE_TOOLS,
];
