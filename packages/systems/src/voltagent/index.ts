import { InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { lookInto, type SqliteDatabase } from '@checkpoint-inspector/io';
import { openThreads } from '../message-rows/source.ts';
import { openRuns, type RunSourceRules } from '../run-row/source.ts';
import { conversationPrefixes, conversationRules } from './conversations.ts';
import { parseExecution, runOf } from './execution.ts';
import { capabilityOf, planChange } from './plan.ts';
import { stateAfter } from './state-after.ts';
import { asStored, columnsOf, executionTables, quoted, readHeads, stateText, storedColumns } from './tables.ts';
import type { ExecutionTable } from './tables.ts';

/** Counting stops early: what a file is must be told at once, however large it is. */
const COUNTED = 10_000;

const rulesOf = (table: ExecutionTable): RunSourceRules => ({
  system: 'voltagent',
  heads: (database) => readHeads(database, table),
  text: (database, head) => stateText(database, table, head),
  stored: (database, head, text) => {
    const columns = text === undefined ? storedColumns(database, table, head) : columnsOf(table, text);
    return columns && Buffer.from(JSON.stringify(columns));
  },
  asStored: (_database, _head, text) => asStored(table, text),
  read: (text) => {
    const execution = parseExecution(text);
    return { run: runOf(execution), stateAfter: (index) => stateAfter(execution, index) };
  },
  derived:
    "Built from the execution's one row: the input and the results of the steps until then, as VoltAgent's own checkpoints have them. Earlier values of the shared state aren't kept.",
  info: {
    volatilePaths: [
      '$.id',
      '$.metadata.traceId',
      '$.metadata.spanId',
      '$.events.*.id',
      '$.events.*.startTime',
      '$.events.*.endTime',
    ],
    notes: [
      'VoltAgent keeps one row for an execution and overwrites it at every step. Older checkpoints are read from that row.',
    ],
  },
  capability: capabilityOf,
  plan: (context, request) => planChange(table, context, request),
});

/**
 * SQLite databases of VoltAgent (LibSQL), under any prefix.
 * @example const [source] = await voltagentSystem.open(target, options);
 */
export const voltagentSystem: System = {
  id: 'voltagent',
  label: 'VoltAgent',
  detect: async (target) => detectVoltAgent(target),
  open: async (target, { label, location, nameStore }) => {
    const { path } = pathOf(target);
    const found = lookInto(path, storesIn) ?? [];
    if (found.length === 0)
      throw new InspectorError('no_store', `${path} has no tables with the columns of VoltAgent.`, { data: { path } });
    const prefixes = new Set(found.map(({ prefix }) => prefix));
    return found.map(({ prefix, table }) => {
      const parts = [...(prefixes.size > 1 ? [prefix] : []), table ? 'runs' : 'conversations'];
      const name = found.length === 1 ? label : [label, ...parts].join('/');
      const options = { id: nameStore(name), label: name, location, path };
      return table ? openRuns(options, rulesOf(table)) : openThreads(options, conversationRules(prefix));
    });
  },
};

interface Found {
  readonly prefix: string;
  /** Of executions; absent for conversations. */
  readonly table?: ExecutionTable;
}

/** Executions, then conversations, which are a store of their own where there are some. */
function storesIn(database: SqliteDatabase): readonly Found[] {
  const runs = executionTables(database).map((table): Found => ({ prefix: table.prefix, table }));
  const talks = conversationPrefixes(database).filter(
    (prefix) => countIn(database, `${prefix}_conversations`) + countIn(database, `${prefix}_messages`) > 0,
  );
  return [...runs, ...talks.map((prefix): Found => ({ prefix }))];
}

const countIn = (database: SqliteDatabase, table: string): number =>
  database.prepare<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM ${quoted(table)} LIMIT ${COUNTED})`).get()
    ?.n ?? 0;

const words = (count: number, what: string): string => `${count}${count === COUNTED ? ' or more' : ''} ${what}`;

/** Opens the database read-only. @throws InspectorError unreadable | busy | unsupported */
function detectVoltAgent(target: Target): Match | undefined {
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  return lookInto(target.path, (database) => {
    const found = storesIn(database);
    if (found.length === 0) return undefined;
    const parts = found.map(({ prefix, table }) =>
      table
        ? words(countIn(database, table.name), `workflow executions in ${table.name}`)
        : words(countIn(database, `${prefix}_conversations`), `conversations in ${prefix}_conversations`),
    );
    return { system: 'voltagent', because: parts.join(' and '), confidence: 0.95 };
  });
}
