import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { LANGGRAPH_DDL, langgraphRow, langgraphWrite, newerId } from '@checkpoint-inspector/systems/langgraph';
import { insertRow } from './seeding.ts';

/** One superstep of a small support graph: agent -> tools -> agent -> review. */
interface Superstep {
  readonly key: string;
  readonly parent?: string;
  /** Default loop. */
  readonly source?: 'input' | 'fork';
  readonly step: number;
  readonly secondsAgo: number;
  readonly messages: readonly unknown[];
  /** The node that runs next. */
  readonly next?: string;
  readonly ran?: string;
  /** Default open. */
  readonly ticket?: string;
  readonly interrupt?: string;
  readonly error?: string;
}

/** A message as LangGraph JS stores it: an envelope that names a class, and data. */
const message = (
  kind: 'HumanMessage' | 'AIMessage' | 'ToolMessage',
  id: string,
  content: string,
  more: object = {},
) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', kind],
  kwargs: { id, content, ...more, additional_kwargs: {}, response_metadata: {} },
});

const ASK = message('HumanMessage', 'h-1', 'My order 4711 never arrived.');
const CALL = message('AIMessage', 'ai-1', 'Let me look it up.', {
  tool_calls: [{ id: 'call_1', name: 'find_order', args: { order: 4711 }, type: 'tool_call' }],
});
const FOUND = message('ToolMessage', 't-1', 'order 4711: lost in transit', {
  tool_call_id: 'call_1',
  name: 'find_order',
});
const REFUND = message('AIMessage', 'ai-2', 'It was lost. I propose a refund of 120 EUR.');
const RESEND = message('AIMessage', 'ai-3', 'It was lost. I will send it again.');

const SUPPORT: readonly Superstep[] = [
  { key: 'a', source: 'input', step: -1, secondsAgo: 2_520, messages: [], next: '__start__' },
  { key: 'b', parent: 'a', step: 0, secondsAgo: 2_519, messages: [ASK], next: 'agent', ran: '__start__' },
  { key: 'c', parent: 'b', step: 1, secondsAgo: 2_516, messages: [ASK, CALL], next: 'tools', ran: 'agent' },
  {
    key: 'd',
    parent: 'c',
    step: 2,
    secondsAgo: 2_514,
    messages: [ASK, CALL, FOUND],
    next: 'agent',
    ran: 'tools',
    ticket: 'lost',
  },
  {
    key: 'e',
    parent: 'd',
    step: 3,
    secondsAgo: 2_511,
    messages: [ASK, CALL, FOUND, RESEND],
    ran: 'agent',
    ticket: 'resent',
  },
  {
    key: 'f',
    parent: 'd',
    source: 'fork',
    step: 3,
    secondsAgo: 1_900,
    messages: [ASK, CALL, FOUND],
    next: 'agent',
    ticket: 'lost',
  },
  {
    key: 'g',
    parent: 'f',
    step: 4,
    secondsAgo: 1_896,
    messages: [ASK, CALL, FOUND, REFUND],
    next: 'review',
    ran: 'agent',
    ticket: 'refund proposed',
    interrupt: 'Approve a refund of 120 EUR?',
  },
];

const CHARGED = message('HumanMessage', 'h-9', 'Why was I charged twice?');
const CHECKING = message('AIMessage', 'ai-9', 'Checking the ledger.');

const BILLING: readonly Superstep[] = [
  { key: 'a', source: 'input', step: -1, secondsAgo: 5_020, messages: [], next: '__start__' },
  { key: 'b', parent: 'a', step: 0, secondsAgo: 5_019, messages: [CHARGED], next: 'agent', ran: '__start__' },
  {
    key: 'c',
    parent: 'b',
    step: 1,
    secondsAgo: 5_015,
    messages: [CHARGED, CHECKING],
    next: 'tools',
    ran: 'agent',
    error: 'API timeout after 20 s',
  },
];

/** The last group of a LangGraph id is drawn again at each save: the demo's files are the same at every start. */
const RANDOM_NODE = /[0-9a-f]{12}$/;
const NODE = '5eed5eed5eed';

const channelOf = (node: string): string => (node === '__start__' ? '__start__' : `branch:to:${node}`);

function writeThread(db: SqliteDatabase, thread: string, steps: readonly Superstep[], now: Date): void {
  const ids = new Map<string, string>();
  const seen: Record<string, Record<string, number>> = { __input__: {} };
  let newest: string | undefined;
  for (const [at, step] of steps.entries()) {
    const time = new Date(now.getTime() - step.secondsAgo * 1_000);
    const id = newerId(newest, step.step, time).id.replace(RANDOM_NODE, NODE);
    newest = id;
    ids.set(step.key, id);
    const version = at + 1;
    const { source = 'loop', ticket = 'open' } = step;
    if (step.ran !== undefined) seen[step.ran] = { [channelOf(step.ran)]: version - 1 };
    const parent = step.parent === undefined ? undefined : ids.get(step.parent);
    const waiting =
      step.next === undefined ? {} : { [channelOf(step.next)]: step.next === '__start__' ? { messages: [ASK] } : null };
    const triggers = step.next === undefined ? {} : { [channelOf(step.next)]: version };
    insertRow(
      db,
      'checkpoints',
      langgraphRow({
        thread,
        id,
        ...(parent === undefined ? {} : { parent }),
        ts: time.toISOString(),
        source,
        step: step.step,
        values: { messages: step.messages, ticket, ...waiting },
        versions: { messages: version, ticket: version, ...triggers },
        seen: structuredClone(seen),
      }),
    );
    writePending(db, thread, id, step);
  }
}

/** What waits on a checkpoint: a question to a person, or the error of the node that ran. */
function writePending(db: SqliteDatabase, thread: string, id: string, step: Superstep): void {
  const taskId = '8f4b2c1e-0000-5000-8000-000000000001';
  if (step.interrupt !== undefined) {
    const value = [{ id: 'approve-refund', value: step.interrupt }];
    insertRow(db, 'writes', langgraphWrite({ thread, id, taskId, idx: -3, channel: '__interrupt__', value }));
  }
  if (step.error !== undefined) {
    const value = { name: 'LedgerError', message: step.error };
    insertRow(db, 'writes', langgraphWrite({ thread, id, taskId, idx: -1, channel: '__error__', value }));
  }
}

/** Writes a SQLite file as LangGraph JS does: a support thread with a fork and a waiting question, and a failed one. */
export function seedLangGraph(path: string, now: Date): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.pragma('journal_mode = WAL');
  db.exec(LANGGRAPH_DDL);
  db.transaction(() => {
    writeThread(db, 'billing-question', BILLING, now);
    writeThread(db, 'support-4711', SUPPORT, now);
  });
  db.close();
}
