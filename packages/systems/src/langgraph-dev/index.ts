import { InspectorError, pathOf, type CheckpointSource, type System } from '@checkpoint-inspector/core';
import { devFilesAt } from './files.ts';
import { openDevFiles } from './read.ts';

/**
 * The files in which LangGraph's dev servers keep their threads: `langgraphjs dev` as JSON, `langgraph dev` as pickles.
 * @example const [source] = await langgraphDevSystem.open(target, options);
 */
export const langgraphDevSystem: System = {
  id: 'langgraph-dev',
  label: 'LangGraph dev server',
  detect: async (target) => {
    const [files] = target.kind === 'path' ? await devFilesAt(target) : [];
    return files && { system: 'langgraph-dev', because: `files of "${files.server}"`, confidence: 0.95 };
  },
  open: async (target, { label, location, nameStore }) => {
    const found = await devFilesAt(pathOf(target));
    if (found.length === 0) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" contains no files of a LangGraph dev server.`, {
        data: { path },
      });
    }
    const sources: CheckpointSource[] = [];
    for (const files of found) {
      const name = found.length === 1 ? label : `${label} (${files.server})`;
      sources.push(await openDevFiles({ id: nameStore(name), label: name, location }, files));
    }
    return sources;
  },
};
