import { InspectorError } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const FOLDER = '.langgraph_api';

/** What the dev servers of LangGraph write: they keep all in memory and save it to these files. */
const SERVERS = [
  { server: 'langgraphjs dev', format: 'JSON', name: /^\.langgraphjs_api\.checkpointer\.json$/ },
  { server: 'langgraph dev', format: 'Python pickle', name: /^\.langgraph_checkpoint\.\d+\.pckl$/ },
] as const;

/** What is said of the files of a LangGraph dev server; `undefined` where the path holds none. */
export async function explainDevServer(path: string): Promise<InspectorError | undefined> {
  const folder = [path, dirname(path)].find((one) => basename(one) === FOLDER) ?? join(path, FOLDER);
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  const found = SERVERS.find(({ name }) => names.some((one) => name.test(one)));
  const words = found
    ? `"${folder}" holds the checkpoints of the dev server "${found.server}", as ${found.format}. This version can’t read them yet.`
    : `"${folder}" is where a LangGraph dev server keeps its checkpoints; it has none yet, and this version can’t read them yet.`;
  return new InspectorError('no_store', words, {
    data: { path },
    remedy: 'Give the graph a SqliteSaver as its checkpointer and open that SQLite file.',
  });
}
