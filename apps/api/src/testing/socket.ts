/** For tests: a real server on a free port, and requests that no client library has tidied up. */
import { connect, type Socket } from 'node:net';
import { serve, type ServeOptions } from '../serve.ts';
import { createInspector, createStoreService } from '@checkpoint-inspector/inspector';
import { recordingChanges, status } from './app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';

export async function testServer(options: Partial<ServeOptions> = {}) {
  const store = await seededStore();
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  const recorder = recordingChanges();
  const inspector = createInspector({ stores, changes: recorder.changes, readOnly: false });
  const server = await serve({ inspector, status, port: 0, ...options });
  return { ...server, ...recorder, store, stores, host: `127.0.0.1:${server.port}` };
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends text as it is and reads until the server closes, or `untilMs` have passed. */
export function sendRaw(port: number, text: string, untilMs = 3000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const done = () => {
      socket.destroy();
      clearTimeout(timer);
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text: answer });
    };
    const timer = setTimeout(done, untilMs);
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', done);
    socket.on('error', (error) => (answer === '' ? reject(error) : done()));
  });
}

/** A connection whose request never comes to its end. */
export function halfOpen(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /api/tasks HTTP/1.1\r\nhost: ', () => resolve(socket));
    });
    socket.once('error', reject);
  });
}

/** One request as text; `undefined` leaves a header out. */
export function rawRequest(target: string, headers: Record<string, string | undefined>, method = 'GET'): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
  return [`${method} ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n');
}
