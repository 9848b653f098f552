import { accessSync, constants } from 'node:fs';
import {
  InspectorError,
  pathOf,
  type CheckpointMeta,
  type CheckpointSource,
  type NewCheckpoint,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { lookInto } from '@checkpoint-inspector/io';
import { saveAsTool } from './api/tool-save.ts';
import { detectCtxSys } from './detect.ts';
import { CtxSysSource } from './read.ts';
import { checkpointTables, type CheckpointTable } from './tables.ts';

/**
 * Databases of ctx-sys (a table per project), and those with the single table of its document.
 * @example const [source] = await ctxSysSystem.open(target, options);
 */
export const ctxSysSystem: System = {
  id: 'ctx-sys',
  label: 'ctx-sys',
  detect: detectCtxSys,
  open: async (target: Target, options: OpenOptions): Promise<CheckpointSource[]> => {
    const { path } = pathOf(target);
    const tables = lookInto(path, checkpointTables) ?? [];
    if (tables.length === 0) {
      throw new InspectorError('no_store', `${path} has no checkpoint table with the columns of ctx-sys.`, {
        data: { path },
      });
    }
    return tables.map((table) => {
      const label = tables.length === 1 ? options.label : labelOf(options.label, table);
      const source = new CtxSysSource({
        id: options.nameStore(label),
        label,
        location: options.location,
        path,
        table: table.name,
      });
      return isWritable(path) ? Object.assign(source, { save: saverOf(source, path, table) }) : source;
    });
  },
};

/** As the checkpoint tool of ctx-sys saves. */
function saverOf(source: CheckpointSource, path: string, { name }: CheckpointTable) {
  return async (checkpoint: NewCheckpoint): Promise<CheckpointMeta> => {
    const ref = { task: checkpoint.task, id: await saveAsTool({ path, table: name }, checkpoint) };
    const saved = await source.meta(ref);
    if (saved) return saved;
    throw new InspectorError('changed', `${ref.id} was saved, and another program has deleted it since.`);
  };
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Of several projects each is called by its own name. */
function labelOf(label: string, table: CheckpointTable): string {
  const name = table.projects.join(', ') || table.name;
  return name === label ? label : `${label}/${name}`;
}
