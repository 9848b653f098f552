import { decodeUtf8, readBounded, readHead } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { folderSystem, type FolderFinder } from '../folder/index.ts';
import { readDocument, type Facts } from './document.ts';
import { MAX_DOCUMENT_BYTES, NAMES } from './files.ts';
import { OpenAIAgentsSource } from './read.ts';

export { OpenAIAgentsSource } from './read.ts';

/** Files read before a folder of other files is skipped. */
const TRIED_FILES = 20;
const HEAD_BYTES = 8_192;
/** How a state begins, and how items do. */
const BEGINNING = /^\s*(\{[^]*"\$schemaVersion"|\[\s*\{[^]*"type")/;

const finder: FolderFinder<object> = {
  placesIn: (path) => [path, join(path, 'runstates'), join(path, 'run-states'), join(path, 'run_states')],
  matchFile: async (folder, name) => {
    const shape = await shapeOf(join(folder, name));
    return shape && { because: WORDS[shape], confidence: shape === 'state' ? 0.95 : 0.6 };
  },
  matchFolder: async (folder, names) => {
    const files = names.filter((name) => NAMES.test(name));
    const likely = files.toSorted((a, b) => Number(b.endsWith('.json')) - Number(a.endsWith('.json')));
    for (const name of likely.slice(0, TRIED_FILES)) {
      const shape = await shapeOf(join(folder, name));
      if (shape) return { because: WORDS[shape], confidence: shape === 'state' ? 0.95 : 0.6 };
    }
    return undefined;
  },
};

const WORDS: Readonly<Record<Facts['shape'], string>> = {
  state: 'a run state of the OpenAI Agents SDK',
  items: 'session items of the OpenAI Agents SDK',
};

/** Most files are told apart by their beginning. What cannot be read is not recognised. */
async function shapeOf(path: string): Promise<Facts['shape'] | undefined> {
  try {
    if (!BEGINNING.test(new TextDecoder().decode(await readHead(path, HEAD_BYTES)))) return undefined;
    return readDocument(decodeUtf8(await readBounded(path, { maxBytes: MAX_DOCUMENT_BYTES }))).facts?.shape;
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
