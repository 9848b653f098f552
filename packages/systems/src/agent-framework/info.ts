import type { Capability, StoreInfo } from '@checkpoint-inspector/core';
import type { StoreNames } from '../folder/index.ts';
import type { Shape } from './document.ts';
import type { Snapshot } from './rows.ts';

const DOTNET =
  'The .NET store holds index.jsonl open and offers no such change; writing into it beside the agent is not safe.';

/** Why a checkpoint of a shape is not copied, or `undefined` where it can be. */
export function whyNoCopy(shape: Shape): string | undefined {
  if (shape === 'legacy')
    return 'Agent Framework of today does not load this older format, so a copy would resume nothing.';
  return shape === 'dotnet' ? DOTNET : undefined;
}

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, snapshot: Snapshot, writable: boolean): StoreInfo {
  const dotnet = snapshot.layout === 'dotnet';
  const rows = [...snapshot.byId.values()].flat();
  const change: Capability = writable || 'This user may not write into the folder.';
  const copy = change === true ? copyCapability(snapshot) : change;
  const notes = notesOf(snapshot);
  return {
    ...names,
    system: 'agent-framework',
    retention: 'Keeps everything.',
    latestRule: dotnet ? 'last line of index.jsonl' : 'newest timestamp',
    volatilePaths: ['$.checkpoint_id', '$.previous_checkpoint_id', '$.timestamp', '$.checkpointId'],
    indexed: { n: rows.length, of: rows.length },
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
    notes.push('Read by the written format of the .NET store; not yet proven on a store of its own.');
  const types = new Set(files.flatMap((file) => file.facts?.typesToAllow ?? []));
  if (types.size > 0) {
    const names = [...types].slice(0, 5).join(', ');
    notes.push(`Agent Framework lists some checkpoints only where allowed_checkpoint_types has ${names}.`);
  }
  const legacy = files.filter((file) => file.facts?.shape === 'legacy').length;
  if (legacy > 0) notes.push(`${legacy} of an older format: shown here, not loaded by Agent Framework of today.`);
  return notes;
}
