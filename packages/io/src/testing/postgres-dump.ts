import type { Connection, PoolClient, Submittable } from 'pg';

/** A part of a dump: statements, or a COPY with its rows. */
interface Part {
  readonly sql: string;
  readonly rows?: string;
}

/** Loads what `pg_dump` wrote as text, in the order of the file. */
export async function loadDump(client: PoolClient, dump: string): Promise<void> {
  for (const part of partsOf(dump)) {
    if (part.rows === undefined) await client.query(part.sql);
    else await copyIn(client, part.sql, part.rows);
  }
}

/** `\restrict` and the like are for psql alone. @throws Error for an unfinished COPY */
export function partsOf(dump: string): Part[] {
  const parts: Part[] = [];
  let rest = dump.replaceAll('\r\n', '\n');
  for (;;) {
    const copy = /^COPY .* FROM stdin;\n/m.exec(rest);
    parts.push({ sql: (copy ? rest.slice(0, copy.index) : rest).replaceAll(/^\\(un)?restrict .*$/gm, '') });
    if (!copy) return parts.filter(({ sql, rows }) => rows !== undefined || sql.trim() !== '');
    const [head] = copy;
    rest = rest.slice(copy.index + head.length);
    const end = rest.startsWith('\\.\n') ? 0 : rest.indexOf('\n\\.\n') + 1;
    if (end === 0 && !rest.startsWith('\\.\n')) throw new Error(`The rows of "${head.trim()}" have no end.`);
    parts.push({ sql: head, rows: rest.slice(0, end) });
    rest = rest.slice(end + '\\.\n'.length);
  }
}

type Copying = Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };

/** The server reads the rows: nothing of them is understood here. */
function copyIn(client: PoolClient, sql: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: Submittable & Record<string, unknown> = {
      submit: (connection: Connection) => connection.query(sql),
      handleCopyInResponse: (connection: Copying) => {
        connection.sendCopyFromChunk(Buffer.from(rows));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    };
    client.query(copy);
  });
}
