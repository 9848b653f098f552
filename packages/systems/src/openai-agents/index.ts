import { join } from 'node:path';
import { firstOf, folderSystem, readText, type FolderFinder } from '../folder/index.ts';
import { readDocument, type Facts } from './document.ts';
import { MAX_DOCUMENT_BYTES, NAMES } from './files.ts';
import { OpenAIAgentsSource } from './read.ts';

export { OpenAIAgentsSource } from './read.ts';

const finder: FolderFinder<object> = {
  placesIn: (path) => [path, join(path, 'runstates'), join(path, 'run-states'), join(path, 'run_states')],
  matchFile: async (folder, name) => {
    const shape = await shapeOf(join(folder, name));
    return shape && matchOf(shape);
  },
  matchFolder: async (folder, names) => {
    const files = names.filter((name) => NAMES.test(name));
    const likely = files.toSorted((a, b) => Number(b.endsWith('.json')) - Number(a.endsWith('.json')));
    const shape = await firstOf(likely, (name) => shapeOf(join(folder, name)));
    return shape && matchOf(shape);
  },
};

const matchOf = (shape: Facts['shape']) => ({ because: WORDS[shape], confidence: shape === 'state' ? 0.95 : 0.6 });

const WORDS: Readonly<Record<Facts['shape'], string>> = {
  state: 'a run state of the OpenAI Agents SDK',
  items: 'session items of the OpenAI Agents SDK',
};

/** What cannot be read is not recognised. */
async function shapeOf(path: string): Promise<Facts['shape'] | undefined> {
  try {
    const text = await readText(path, MAX_DOCUMENT_BYTES);
    return /"\$schemaVersion"|^\s*\[/.test(text) ? readDocument(text).facts?.shape : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The strings of the OpenAI Agents SDK for JavaScript that a program keeps in files: states of runs, items of sessions.
 * @example const [source] = await openaiAgentsSystem.open(target, options);
 */
export const openaiAgentsSystem = folderSystem({
  id: 'openai-agents',
  label: 'OpenAI Agents SDK',
  files: 'run states of the OpenAI Agents SDK',
  lookedFor: ['files with a $schemaVersion and modelResponses'],
  finder,
  open: OpenAIAgentsSource.open,
});
