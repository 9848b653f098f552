import type { Capability } from '@checkpoint-inspector/core';
import { listingBy, type FolderInfo, type StoreNames } from '../folder/index.ts';
import type { Facts } from './document.ts';
import type { StoredFile } from './files.ts';
import type { Snapshot } from './rows.ts';

/** The newest that is known here, and the oldest are read by it: 1.0 to 1.22. */
const NEWEST_VERSION = 22;
const VERSION = /^1\.(0|[1-9]\d?)$/;

/** Why a string can't be loaded, in the SDK's own words; `undefined` where it can. */
export function whyNotLoaded({ shape, version = '' }: Facts): string | undefined {
  if (shape === 'items') return undefined;
  const [, minor] = VERSION.exec(version) ?? [];
  if (minor !== undefined && Number(minor) <= NEWEST_VERSION) return undefined;
  return `Run state schema version ${version} is not supported. Please use version 1.${NEWEST_VERSION}.`;
}

export const ONLY_OBJECTS =
  'The items of a session are a list, which is changed by the program that keeps the session.';

/** What says again what the responses and items say, in the form of the last turn. */
const REPEATED = [
  '$.lastModelResponse',
  '$.lastProcessedResponse',
  '$.currentResponseGeneratedItemOwnership',
  '$.completedToolInvocations',
  '$.completedToolInvocationEvidence',
];

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, { files }: Snapshot, writable: boolean): FolderInfo {
  const change: Capability = writable || "This user doesn't have permission to write to the folder.";
  const notes = notesOf(files);
  return {
    ...names,
    system: 'openai-agents',
    retention: 'Keeps everything: the program that writes the files decides.',
    latestRule: 'newest file; the program decides which one it loads',
    volatilePaths: REPEATED,
    capabilities: { restore: change, fork: change, edit: change, delete: change },
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function notesOf(files: readonly StoredFile[]): string[] {
  const refused = files.filter(({ facts }) => facts && whyNotLoaded(facts) !== undefined).length;
  const others = files.filter(({ facts, problem }) => !facts && !problem).length;
  return [
    ...(refused > 0 ? [`${refused} of a schema version that the SDK refuses: shown here, not copied.`] : []),
    ...(others > 0 ? [`${others} other files in the folder aren't run states, and aren't shown.`] : []),
  ];
}

export const listing = listingBy<StoredFile, Snapshot>({
  system: 'openai-agents',
  titles: { unassigned: 'Damaged run states', empty: '(no name)' },
  titleOf: ({ rows }) => rows.find((row) => row.file.facts?.title)?.file.facts?.title,
  naiveIsLocal: false,
  labels: ({ file: { facts } }) => (facts && whyNotLoaded(facts) !== undefined ? [`schema ${facts.version}`] : []),
  ofRow: ({ file: { facts } }) => ({
    trigger: facts?.status === 'failed' ? 'error' : undefined,
    agentId: facts?.agentId,
    tokenUsage: facts?.tokenUsage,
  }),
});
