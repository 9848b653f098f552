import type { Capability } from '@checkpoint-inspector/core';
import type { FolderInfo, StoreNames } from '../folder/index.ts';
import { isCycleLog } from './names.ts';
import type { Snapshot } from './rows.ts';

/** Keep so many newest per agent: Kaizen's default, applied after each of its saves. */
export const RETENTION = 100;

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, snapshot: Snapshot, writable: boolean): FolderInfo {
  const { files } = snapshot.folder;
  const change: Capability = writable || "This user doesn't have permission to write to the folder.";
  const someOpen = files.length === 0 || files.some((file) => file.problem?.code !== 'locked');
  const copy = someOpen ? change : 'All files are encrypted. Unlock the store with its key first.';
  const notes = notesOf(snapshot);
  return {
    ...names,
    system: 'kaizen',
    latestRule: 'newest timestamp',
    retention: `Keeps the newest ${RETENTION} per agent; Kaizen removes the others after each save.`,
    volatilePaths: ['$.checkpoint_id', '$.parent_checkpoint_id', '$.timestamp', '$.updated_at'],
    capabilities: { restore: copy, fork: copy, edit: copy, delete: change },
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function notesOf(snapshot: Snapshot): string[] {
  const { encrypted, folder } = snapshot;
  const logs = folder.others.filter(isCycleLog);
  const locked = encrypted.filter((file) => file.problem?.code === 'locked').length;
  const wrong = encrypted.filter((file) => file.problem?.code === 'wrong_key').length;
  const notes: string[] = [];
  if (encrypted.length > 0) {
    notes.push(
      `${encrypted.length} encrypted: Kaizen itself never lists, resumes or removes these, so they accumulate.`,
    );
  }
  if (locked > 0) notes.push(`${locked} locked: unlock the store with its passphrase to read them.`);
  if (wrong > 0) notes.push(`${wrong} do not open with this key: they use a different one, or were changed.`);
  if (logs.length > 0) notes.push(`${logs.length} cycle logs (${logs[0]}, …) aren't checkpoints and are not shown.`);
  for (const [id, n] of doubledIds(snapshot).slice(0, 3)) notes.push(`${n} files contain the id ${id}; all are shown.`);
  return notes;
}

function doubledIds({ byId }: Snapshot): (readonly [id: string, n: number])[] {
  const doubled: (readonly [id: string, n: number])[] = [];
  for (const [id, { length }] of byId) if (length > 1) doubled.push([id, length]);
  return doubled;
}
