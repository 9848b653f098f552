/** Real graphs with LangGraph's saver in memory, whose content is written as `langgraphjs dev` writes it, while we read. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { fromJsonText } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { expect, test } from 'vitest';
import { chatGraph, configOf, counterGraph, deltaGraph, nestedGraph, paymentGraph } from '../langgraph/test-graphs.ts';
import { messagesOf } from '../langgraph/view.ts';
import { devFolder, openAt, openDev } from './test-store.ts';

const NAME = '.langgraphjs_api.checkpointer.json';

/** What the server writes of its saver: bytes in base64, where superjson notes them beside. */
function textOf({ storage, writes }: MemorySaver): string {
  return JSON.stringify({ json: { storage, writes }, meta: { values: {}, v: 1 } }, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
}

test('a file that is rewritten all the time is read whole or not at all, and never goes back', async () => {
  const saver = new MemorySaver();
  const { graph } = counterGraph(saver, 60);
  await graph.invoke({ n: 0, trail: ['x'.repeat(20_000)] }, { ...configOf('first'), recursionLimit: 200 });
  const folder = devFolder({ [NAME]: textOf(saver) });
  const source = await openAt({ kind: 'path', path: folder, is: 'folder' });
  const run = graph.invoke({ n: 0, trail: [] }, { ...configOf('second'), recursionLimit: 200 });
  const state = { isDone: false };
  const writing = (async () => {
    for (let n = 0; n < 15; n++) await writeFile(join(folder, NAME), textOf(saver));
    await run;
    await writeFile(join(folder, NAME), textOf(saver));
    state.isDone = true;
  })();
  let seen = 0;
  while (!state.isDone) {
    const { items } = await source.tasks();
    const count = items.reduce((sum, task) => sum + task.checkpointCount, 0);
    expect(count).toBeGreaterThanOrEqual(seen);
    expect(items.every(({ unreadable }) => unreadable === 0)).toBe(true);
    seen = count;
  }
  await writing;
  const states = await collect(graph.getStateHistory(configOf('second')));
  const { items } = await source.checkpoints('second', { limit: 1000 });
  expect(items.map(({ id }) => id)).toEqual(states.map(({ config }) => config.configurable?.['checkpoint_id']));
  await source.close?.();
  rmSync(join(folder, '..'), { recursive: true });
});

test('messages, questions, subgraphs and delta channels are as LangGraph answers', async () => {
  const saver = new MemorySaver();
  const chat = chatGraph(saver);
  for (const text of ['one', 'two']) {
    await chat.invoke({ messages: [new HumanMessage({ id: `h-${text}`, content: text })] }, configOf('chat'));
  }
  const { graph: payment } = paymentGraph(saver);
  await payment.invoke({ amount: 5 }, configOf('payment'));
  const { graph: nested } = nestedGraph(saver);
  await nested.invoke({ notes: [] }, configOf('nested'));
  const delta = deltaGraph(saver, 1000);
  for (const text of ['a', 'b', 'c']) {
    await delta.invoke({ messages: [new HumanMessage({ id: `h-${text}`, content: text })] }, configOf('delta'));
  }
  const { source, close } = await openDev({ [NAME]: textOf(saver) });
  const stateOf = async (task: string) => {
    const { ref } = await source.latest(task);
    if (ref === undefined) throw new Error(`${task} has a latest checkpoint.`);
    return { text: (await source.state(ref))?.text ?? '', beside: await source.beside?.(ref) };
  };
  for (const [task, graph] of [
    ['chat', chat],
    ['delta', delta],
  ] as const) {
    const { messages } = (await graph.getState(configOf(task))).values as { readonly messages: readonly BaseMessage[] };
    const [read] = messagesOf((await stateOf(task)).text);
    expect(read?.messages.map(({ id, text }) => [id, text])).toEqual(messages.map((one) => [one.id, one.text]));
  }
  for (const [task, graph] of [
    ['payment', payment],
    ['nested', nested],
  ] as const) {
    const known = await graph.getState(configOf(task));
    const { text, beside } = await stateOf(task);
    expect(fromJsonText(text)).toMatchObject(known.values);
    expect(beside?.next).toEqual(known.next);
    const asked = known.tasks.flatMap((one) => one.interrupts);
    expect(beside?.requests).toEqual(asked.map(({ id, value }) => ({ id, text: value, from: known.tasks[0]?.name })));
  }
  const inner = (await source.checkpoints('nested')).items.filter(({ namespace }) => namespace !== undefined);
  expect(inner.map(({ status }) => status)).toEqual(['interrupted', 'completed', 'completed']);
  await close();
});
