/** Entry of the thread that has the search indexes. Searches go first: what is written waits for them, but not for long. */
import { parentPort } from 'node:worker_threads';
import { InspectorError } from '@checkpoint-inspector/core';
import { Turns } from '../feed/turns.ts';
import type { Reply, Request, StoreMethod } from './contract.ts';
import { createIndexHost } from './here.ts';

if (parentPort === null) throw new Error('This file runs in a worker thread.');
const port = parentPort;
const host = createIndexHost();
const turns = new Turns();
const searching = new Map<number, AbortController>();

port.on('message', (request: Request) => {
  if (request.kind === 'open') host.know(request.index, request.options);
  else if (request.kind === 'cancel') searching.get(request.id)?.abort();
  else void reply(request);
});

type Asked = Exclude<Request, { kind: 'open' | 'cancel' }>;

async function reply(request: Asked): Promise<void> {
  try {
    send({ id: request.id, output: await outputOf(request) });
  } catch (thrown) {
    send({ id: request.id, error: InspectorError.from(thrown).toWire().error });
  }
}

async function outputOf(request: Asked): Promise<unknown> {
  if (request.kind === 'search') return search(request);
  if (request.kind === 'drop') return host.drop(request.index);
  if (request.kind === 'close') return host.close();
  const { place, call } = request;
  await turns.take();
  return host.run<StoreMethod>(place, call.method, call.args);
}

async function search({ id, search: wanted }: Extract<Request, { kind: 'search' }>): Promise<unknown> {
  const [stop, end] = [new AbortController(), turns.request()];
  searching.set(id, stop);
  try {
    return await host.search(wanted, stop.signal);
  } finally {
    end();
    searching.delete(id);
  }
}

const send = (reply: Reply): void => port.postMessage(reply, []);
