/** For tests: graphs of the real LangGraph that write into a SQLite file. Each counts how often its nodes ran. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import {
  Annotation,
  DeltaChannel,
  END,
  interrupt,
  messagesDeltaReducer,
  messagesStateReducer,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { loadDriver } from '@checkpoint-inspector/io';

/** Over our driver: the saver's own one does not load on every Node. */
export function openSaver(path: string): SqliteSaver {
  const Database = loadDriver();
  return new SqliteSaver(new Database(path));
}
export const configOf = (thread: string) => ({ configurable: { thread_id: thread } });

/** Counts to `limit`, writing a trail. */
export function counterGraph(saver: BaseCheckpointSaver, limit: number) {
  const ran = { inc: 0 };
  const State = Annotation.Root({
    n: Annotation<number>(),
    trail: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('inc', (state) => {
      ran.inc++;
      return { n: state.n + 1, trail: [`n=${state.n + 1}`] };
    })
    .addEdge(START, 'inc')
    .addConditionalEdges('inc', (state) => (state.n < limit ? 'inc' : END), ['inc', END])
    .compile({ checkpointer: saver });
  return { graph, ran };
}

const reply = (messages: readonly BaseMessage[]) => {
  const last = messages.at(-1);
  return { messages: [new AIMessage({ id: `ai-${messages.length}`, content: `echo ${last?.text}` })] };
};

/** Answers every message. */
export function chatGraph(saver: BaseCheckpointSaver) {
  const State = Annotation.Root({
    messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
  });
  return new StateGraph(State)
    .addNode('bot', (state) => reply(state.messages))
    .addEdge(START, 'bot')
    .addEdge('bot', END)
    .compile({ checkpointer: saver });
}

/** The same, with a channel of which only the changes are stored. */
export function deltaGraph(saver: BaseCheckpointSaver, snapshotFrequency: number) {
  const State = Annotation.Root({
    messages: () => new DeltaChannel<BaseMessage[], BaseMessage[]>(messagesDeltaReducer, { snapshotFrequency }),
  });
  return new StateGraph(State)
    .addNode('bot', (state) => reply(state.messages))
    .addEdge(START, 'bot')
    .addEdge('bot', END)
    .compile({ checkpointer: saver });
}

/** Asks before it pays. */
export function paymentGraph(saver: BaseCheckpointSaver) {
  const ran = { draft: 0, pay: 0 };
  const State = Annotation.Root({ amount: Annotation<number>(), status: Annotation<string>() });
  const graph = new StateGraph(State)
    .addNode('draft', () => {
      ran.draft++;
      return { status: 'drafted' };
    })
    .addNode('approval', (state) => ({ status: interrupt(`pay ${state.amount}?`) === true ? 'approved' : 'refused' }))
    .addNode('pay', (state) => {
      ran.pay++;
      return { status: `${state.status}, done` };
    })
    .addEdge(START, 'draft')
    .addEdge('draft', 'approval')
    .addEdge('approval', 'pay')
    .addEdge('pay', END)
    .compile({ checkpointer: saver });
  return { graph, ran };
}

/** A graph whose subgraph asks. */
export function nestedGraph(saver: BaseCheckpointSaver) {
  const ran = { search: 0 };
  const State = Annotation.Root({
    notes: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const inner = new StateGraph(State)
    .addNode('search', () => {
      ran.search++;
      return { notes: ['found'] };
    })
    .addNode('review', () => ({ notes: [`reviewed ${String(interrupt('good?'))}`] }))
    .addEdge(START, 'search')
    .addEdge('search', 'review')
    .addEdge('review', END)
    .compile();
  const graph = new StateGraph(State)
    .addNode('plan', () => ({ notes: ['plan'] }))
    .addNode('research', inner)
    .addEdge(START, 'plan')
    .addEdge('plan', 'research')
    .addEdge('research', END)
    .compile({ checkpointer: saver });
  return { graph, ran };
}
