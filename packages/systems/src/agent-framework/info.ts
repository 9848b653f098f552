import type { Capability } from '@checkpoint-inspector/core';
import type { FolderInfo, StoreNames } from '../folder/index.ts';
import type { Shape } from './document.ts';
import type { Snapshot } from './rows.ts';

const DOTNET =
  "The .NET store keeps index.jsonl open and doesn't support this change. Writing to it while the agent runs isn't safe.";

/** Why a checkpoint of a shape is not copied, or `undefined` where it can be. */
export function whyNoCopy(shape: Shape): string | undefined {
  if (shape === 'legacy')
    return "Current versions of Agent Framework can't load this older format, so a copy couldn't be resumed.";
  return shape === 'dotnet' ? DOTNET : undefined;
}

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, snapshot: Snapshot, writable: boolean): FolderInfo {
  const dotnet = snapshot.layout === 'dotnet';
  const change: Capability = writable || "This user doesn't have permission to write to the folder.";
  const copy = change === true ? copyCapability(snapshot) : change;
  const notes = notesOf(snapshot);
  return {
    ...names,
    system: 'agent-framework',
    retention: 'Keeps everything.',
    latestRule: dotnet ? 'last line of index.jsonl' : 'newest timestamp',
    volatilePaths: ['$.checkpoint_id', '$.previous_checkpoint_id', '$.timestamp', '$.checkpointId'],
    capabilities: { restore: copy, fork: copy, edit: copy, delete: dotnet ? DOTNET : change },
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** Yes as long as one checkpoint can be copied; the others are refused one by one, with the reason. */
function copyCapability({ layout, files }: Snapshot): Capability {
  if (layout === 'dotnet') return DOTNET;
  const shapes = files.flatMap((file) => (file.facts ? [file.facts.shape] : []));
  const reasons = shapes.map(whyNoCopy);
  return reasons.length === 0 || reasons.includes(undefined) || (reasons[0] ?? true);
}

function notesOf({ layout, files }: Snapshot): string[] {
  const notes: string[] = [];
  if (layout === 'dotnet')
    notes.push('Based on the documented format of the .NET store; not yet tested on a real one.');
  const types = new Set(files.flatMap((file) => file.facts?.typesToAllow ?? []));
  if (types.size > 0) {
    const names = [...types].slice(0, 5).join(', ');
    notes.push(`Agent Framework lists some checkpoints only if allowed_checkpoint_types includes ${names}.`);
  }
  const legacy = files.filter((file) => file.facts?.shape === 'legacy').length;
  if (legacy > 0)
    notes.push(`${legacy} in an older format: shown here, but current versions of Agent Framework can't load them.`);
  return notes;
}
