/** A checkpointer of LangGraph over our own stores. */
import { StoreSaver } from './langgraph/saver.ts';
import { checkPath } from './options.ts';
import type { PostgresStoreOptions } from './postgres/index.ts';
import { SqliteStore } from './sqlite/index.ts';

/**
 * Saves LangGraph's threads to a store of this program: a checkpoint adds what is new in it. The store must keep all
 * checkpoints of a thread, as LangGraph builds on earlier ones. Values are compared by the JSON of LangGraph's own
 * serializer; another one may be given, and makes a save take longer.
 * @example const graph = builder.compile({ checkpointer: CheckpointInspectorSaver.fromPath('agent.db') });
 */
export class CheckpointInspectorSaver extends StoreSaver {
  /** Opens a SQLite file, or makes it; `saver.close()` closes it. @throws InspectorError invalid_input | unsupported_version | unreadable | busy */
  static fromPath(path: string): CheckpointInspectorSaver {
    checkPath(path, "Name the file: CheckpointInspectorSaver.fromPath('agent.db').");
    return new CheckpointInspectorSaver(new SqliteStore({ path, keepAll: true }));
  }

  /**
   * Opens a schema of a PostgreSQL database, or makes it; `saver.close()` closes its connections.
   * @throws InspectorError as `openPostgresStore`
   * @example const checkpointer = await CheckpointInspectorSaver.fromUrl('env:DATABASE_URL', { schema: 'agents' });
   */
  static async fromUrl(
    url: string,
    options: Pick<PostgresStoreOptions, 'schema' | 'label'> = {},
  ): Promise<CheckpointInspectorSaver> {
    // Programs that save to a file don't load it.
    const { openPostgresStore } = await import('./postgres/index.ts');
    return new CheckpointInspectorSaver(await openPostgresStore({ ...options, url, keepAll: true }));
  }
}
