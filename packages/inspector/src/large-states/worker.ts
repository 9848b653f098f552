/** Entry of the thread that reads large states. It opens the same stores read-only, for itself. */
import { parentPort } from 'node:worker_threads';
import { InspectorError } from '@checkpoint-inspector/core';
import { defaultRegistry } from '../stores/registry.ts';
import { createAnswers } from './answers.ts';
import { transferOf } from './types.ts';
import type { FromWorker, ToWorker } from './types.ts';
import { openedStores } from './opened.ts';
import { Texts } from './texts.ts';

if (parentPort === null) throw new Error('This file runs in a worker thread.');
const port = parentPort;
const opened = openedStores(defaultRegistry());
const texts = new Texts(({ store }) => opened.source(store));
const answers = createAnswers(texts);
const running = new Map<number, AbortController>();

port.on('message', (message: ToWorker) => {
  if (message.kind === 'cancel') running.get(message.id)?.abort();
  else if (message.kind === 'ask') void answer(message);
  else {
    texts.forget(message.store);
    void opened.forget(message.store);
  }
});

async function answer({ id, name, input, origins }: Extract<ToWorker, { kind: 'ask' }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    for (const origin of origins) opened.know(origin);
    const output = await answers.ask(name, input, stop.signal);
    send({ id, output });
  } catch (thrown) {
    send({ id, error: InspectorError.from(thrown).toWire().error });
  } finally {
    running.delete(id);
  }
}

function send(message: FromWorker): void {
  port.postMessage(message, 'output' in message ? transferOf(message.output) : []);
}
