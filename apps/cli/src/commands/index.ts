/** Which module has which verbs: a verb that is called loads no other. */
import { existsSync } from 'node:fs';
import type { Verbs } from '../verbs.ts';

type Add = (verbs: Verbs) => void;

/** Names of verbs, and what adds them to the program; in the order of `--help`. */
const VERBS: readonly (readonly [verbs: string, load: () => Promise<Add>])[] = [
  ['open', async () => (await import('./open.ts')).addOpen],
  ['mcp', async () => (await import('./mcp.ts')).addMcp],
  ['tasks', async () => (await import('./tasks.ts')).addTasks],
  ['errors inbox usage', async () => (await import('./failures.ts')).addFailures],
  ['explain diagnose', async () => (await import('./explain.ts')).addExplain],
  ['list', async () => (await import('./list.ts')).addList],
  ['show', async () => (await import('./show.ts')).addShow],
  ['diff', async () => (await import('./diff.ts')).addDiff],
  ['compare', async () => (await import('./compare.ts')).addCompare],
  ['history', async () => (await import('./history.ts')).addHistory],
  ['tree', async () => (await import('./tree.ts')).addTree],
  ['search', async () => (await import('./search.ts')).addSearch],
  ['restore fork delete', async () => (await import('./change.ts')).addRestore],
  ['edit', async () => (await import('./edit.ts')).addEdit],
  ['prune', async () => (await import('./prune.ts')).addPrune],
  ['undo', async () => (await import('./receipts.ts')).addUndo],
  ['receipts', async () => (await import('./receipts.ts')).addReceipts],
  ['proposals', async () => (await import('./proposals.ts')).addProposals],
  ['label note', async () => (await import('./annotate.ts')).addAnnotate],
  ['export report', async () => (await import('./export.ts')).addExport],
  ['copy import', async () => (await import('./copy.ts')).addCopy],
  ['verify', async () => (await import('./verify.ts')).addVerify],
  ['storage', async () => (await import('./storage.ts')).addStorage],
  ['growth', async () => (await import('./growth.ts')).addGrowth],
  ['trash', async () => (await import('./storage.ts')).addTrash],
  ['reclaim', async () => (await import('./reclaim.ts')).addReclaim],
  ['map', async () => (await import('./map.ts')).addMap],
  ['doctor', async () => (await import('./doctor.ts')).addDoctor],
  ['completion', async () => (await import('./completion.ts')).addCompletion],
  ['exit-codes', async () => (await import('./doctor.ts')).addExitCodes],
];

/** The verb that a command line begins with; all of them for any other, which may need their names or their help. */
export function loadVerbs([word = '', ...others]: readonly string[]): Promise<Add[]> {
  const own = VERBS.filter(([verbs]) => verbs.split(' ').includes(word));
  // A file may be called like a verb: then it is one to open.
  const isCalled = own.length > 0 && (others.length > 0 || !existsSync(word));
  return Promise.all((isCalled ? own : VERBS).map(([, load]) => load()));
}
