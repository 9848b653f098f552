/** A checkpointer of LangGraph over our own stores. */
import { StoreSaver } from './langgraph/saver.ts';
import { SqliteStore } from './sqlite/index.ts';

/**
 * Saves LangGraph's threads to a store of this program: a checkpoint adds what is new in it. The store must keep all
 * checkpoints of a thread, as LangGraph builds on earlier ones.
 * @example const graph = builder.compile({ checkpointer: CheckpointInspectorSaver.fromPath('agent.db') });
 */
export class CheckpointInspectorSaver extends StoreSaver {
  /** Opens a SQLite file, or makes it. @throws InspectorError unsupported_version | unreadable | busy */
  static fromPath(path: string): CheckpointInspectorSaver {
    return new CheckpointInspectorSaver(new SqliteStore({ path, keepAll: true }));
  }
}
