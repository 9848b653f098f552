import type { CheckpointSource, OpenOptions, System, Target } from '@checkpoint-inspector/core';
import { InspectorError, pathOf } from '@checkpoint-inspector/core';
import { detectLangGraph } from './detect.ts';
import { LangGraphSource } from './read.ts';

export { langgraphRow, langgraphWrite, LANGGRAPH_DDL } from './write.ts';
export { newerId } from './uuid6.ts';

/**
 * LangGraph's SQLite stores (SqliteSaver of JavaScript, and Python's when it wrote JSON).
 * @example const [source] = await langgraphSystem.open(target, options);
 */
export const langgraphSystem: System = {
  id: 'langgraph',
  label: 'LangGraph',
  detect: detectLangGraph,
  open: async (target: Target, options: OpenOptions): Promise<CheckpointSource[]> => {
    const { path } = pathOf(target);
    if ((await detectLangGraph(target)) === undefined) {
      throw new InspectorError(
        'no_store',
        `${path} has no tables "checkpoints" and "writes" with LangGraph's columns.`,
        {
          data: { path },
        },
      );
    }
    const { label, location } = options;
    return [new LangGraphSource({ id: options.nameStore(label), label, location, path })];
  },
};
