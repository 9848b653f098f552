/** What an answer costs at the least: the same bytes without guards, schemas and contract. Bundled, and run as a process. */
import { createServer } from 'node:http';
import { openSqlite, type SqlRow } from '@checkpoint-inspector/io';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

/** What this process is told. */
export interface BareOptions {
  /** Address -> the JSON text that `node:http` sends for it. */
  readonly texts: Readonly<Record<string, string>>;
  /** A database with the items of a list, one column for each of their members. */
  readonly list: { readonly database: string; readonly sql: string };
}

process.once('message', ({ texts, list }: BareOptions) => {
  const rows = openSqlite(list.database, { readOnly: true }).prepare<SqlRow>(list.sql);
  const hono = new Hono();
  hono.get('/list', (c) => {
    const items = rows.all().map((row) => ({
      ...row,
      isLatest: row['isLatest'] === 1,
      labels: JSON.parse(String(row['labels'])) as unknown,
    }));
    return c.json({ items });
  });
  const listed = getRequestListener(hono.fetch);
  const server = createServer((incoming, outgoing) => {
    const text = texts[incoming.url ?? ''];
    if (text === undefined) return void listed(incoming, outgoing);
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    outgoing.end(text);
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
process.on('disconnect', () => process.exit());
