import { InspectorError, KnownTexts } from '@checkpoint-inspector/core';
import type { PostgresReader } from '../../postgres/open.ts';
import type { StateRow } from '../rows.ts';
import { readNodes, readTextFrom } from './rows.ts';

/** Changes whenever nodes may have gone: after a collection, and where the server isn't the one that it was. */
export const NODES_EPOCH = `concat_ws(' ', (SELECT v FROM store_meta WHERE k = 'gc_epoch'), 'nodes'::regclass::oid,
  pg_postmaster_start_time())`;
/** A server that lost what it had acknowledged gives the latest ids away again. */
const STAMP = `SELECT ${NODES_EPOCH} || ' ' || (SELECT encode(hash, 'hex') FROM nodes WHERE id = $1) AS stamp`;

interface Known {
  readonly texts: KnownTexts;
  /** The newest of them, and what was said of it. */
  readonly newest: number;
  readonly stamp: string;
}

/** What a store has read: of a state only the nodes are read that no state had which was read before. */
export class KnownNodes {
  #known: Known | undefined;

  /** As `readTextFrom`. Several may be asked for at the same time. @throws InspectorError unreadable */
  async textOf(reader: PostgresReader, row: StateRow): Promise<string> {
    if (row.whole !== null) return readTextFrom(reader, row);
    const known = this.#known;
    const isValid = known !== undefined && (await stampIn(reader, known.newest)) === known.stamp;
    if (!isValid) return this.#read(reader, row, new KnownTexts());
    try {
      return await this.#read(reader, row, known.texts);
    } catch (error) {
      // Another read may have dropped what this one needs.
      if (InspectorError.is(error) && error.code === 'unreadable') return readTextFrom(reader, row);
      throw error;
    }
  }

  async #read(reader: PostgresReader, { root, size_bytes: bytes }: StateRow, texts: KnownTexts): Promise<string> {
    const text = texts.textOf(await readNodes(reader, root, texts), root, bytes);
    const { newest } = texts;
    if (texts === this.#known?.texts && newest === this.#known.newest) return text;
    const stamp = await stampIn(reader, newest);
    this.#known = stamp === undefined ? undefined : { texts, newest, stamp };
    return text;
  }
}

async function stampIn(reader: PostgresReader, newest: number): Promise<string | undefined> {
  const [row] = await reader.query<{ stamp: string | null }>(STAMP, [newest]);
  return row?.stamp ?? undefined;
}
