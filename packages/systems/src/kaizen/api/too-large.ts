import { InspectorError, leadingTexts } from '@checkpoint-inspector/core';
import { readHead } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { decodeHead } from '../codec.ts';
import type { StoredFile } from '../files.ts';
import { parseStamp } from '../time.ts';
import type { CheckpointMetadata } from './checkpoint-metadata.ts';
import { Timestamp } from './timestamp.ts';

/** Id, agent and time are the first members that Kaizen writes. */
const HEAD_BYTES = 4096;

/**
 * Files that are too large to read are left out of lists; none of them may be what the agent would have to resume.
 * Where the agent and the time of one cannot be told, it counts as the agent's, saved when the file was.
 * @throws InspectorError too_large
 */
export async function refuseIfNewer(
  folder: string,
  files: readonly StoredFile[],
  agentId: string,
  latest: CheckpointMetadata | undefined,
): Promise<void> {
  const newest = latest && Timestamp.micros(latest.timestamp);
  for (const file of files) {
    if (file.problem?.code !== 'too_large') continue;
    const bytes = await readHead(join(folder, file.name), HEAD_BYTES).catch(() => undefined);
    if (!bytes) continue; // removed meanwhile
    const head = leadingTexts(decodeHead(file.variant, bytes));
    if ((head.get('agent_id') ?? agentId) !== agentId || (head.get('checkpoint_id') ?? file.id) !== file.id) continue;
    const time = parseStamp(head.get('timestamp') ?? '')?.micros ?? file.entry.mtimeNs / 1000n;
    if (newest !== undefined && time <= newest) continue;
    throw new InspectorError(
      'too_large',
      `${file.name} may be the agent's newest checkpoint. ${file.problem.message}`,
      {
        data: { name: file.name, agentId },
        remedy: 'Move the file out of the folder to go on from an older checkpoint, or load that one by its id.',
      },
    );
  }
}
