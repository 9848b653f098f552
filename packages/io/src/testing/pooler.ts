/** Stands between a program and the server as a pooler does: the number of the connection is its own. */
import { createServer, connect, type Socket } from 'node:net';

export interface TestPooler {
  /** Of the same database, through it. */
  readonly url: string;
  close(): Promise<void>;
}

const KEY = 'K'.charCodeAt(0);
const HEAD = 5;

/** For tests: what a pooler says of its connections, over one connection of the server for each. */
export async function poolerForTests(url: string): Promise<TestPooler> {
  const to = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const backend = connect(Number(to.port || 5432), to.hostname);
    let hidden = false;
    let rest = Buffer.alloc(0);
    for (const socket of [client, backend]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        backend.destroy();
      });
    }
    client.on('data', (part) => backend.write(part));
    backend.on('data', (part) => {
      if (hidden) return void client.write(part);
      rest = Buffer.concat([rest, part]);
      let at = 0;
      const next = () => (at + HEAD <= rest.length ? at + 1 + rest.readUInt32BE(at + 1) : Number.POSITIVE_INFINITY);
      for (; !hidden && next() <= rest.length; at = next()) {
        if (rest[at] !== KEY) continue;
        rest.writeUInt32BE(rest.readUInt32BE(at + HEAD) + 1_000_000, at + HEAD);
        hidden = true;
      }
      client.write(Buffer.from(hidden ? rest : rest.subarray(0, at)));
      rest = rest.subarray(at);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on a port.');
  const through = new URL(url);
  [through.hostname, through.port] = ['127.0.0.1', String(address.port)];
  return {
    url: through.href,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
