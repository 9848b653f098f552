import { besideAt } from '@checkpoint-inspector/api';
import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, CheckpointRef } from '@checkpoint-inspector/core';
import { print, printable } from '../output.ts';
import { resolveCheckpoint } from '../resolve.ts';
import type { Narrow } from '../resolve.ts';
import type { Run } from '../session.ts';
import { besideLines } from './beside.ts';
import { showPart } from './part.ts';
import type { PartOptions } from './part.ts';

export interface ShowOptions extends Narrow, PartOptions {
  readonly raw?: boolean;
  readonly meta?: boolean;
}

/** `show <id>`: the state text as stored; `--path` or `--find` some of it; `--meta` all about it; `--raw` the stored bytes. */
export async function show({ session, output }: Run, id: string, options: ShowOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(session, id, options);
  if (options.raw) {
    const bytes = await source.raw(ref);
    if (!bytes) throw gone(id);
    process.stdout.write(bytes);
    return;
  }
  if (options.meta) {
    const meta = await metaOf(source, ref);
    const beside = await besideAt(source, ref);
    print(output, { ...meta, beside }, () => [
      ...Object.entries(meta).map(([key, value]) => `${key}: ${printable(asText(value))}`),
      ...besideLines(beside),
    ]);
    return;
  }
  const state = await source.state(ref);
  if (!state) throw gone(id);
  if (options.path !== undefined || options.find !== undefined) showPart(output, state, options);
  else output.line(state.text);
}

async function metaOf(source: CheckpointSource, ref: CheckpointRef): Promise<CheckpointMeta> {
  const page = await source.checkpoints(ref.task, { around: ref });
  const meta = page.items.find((row) => row.id === ref.id && (row.namespace ?? '') === (ref.namespace ?? ''));
  if (!meta) throw gone(ref.id);
  return meta;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const gone = (id: string): InspectorError =>
  new InspectorError('not_found', `Checkpoint "${id}" is not in the store any more.`, { data: { id } });
