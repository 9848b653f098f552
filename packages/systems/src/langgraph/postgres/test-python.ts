/** For tests: the rows of Python's SqliteSaver as its PostgresSaver stores them. Source: langgraph-checkpoint-postgres, `put`. */
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { TestPostgres } from '@checkpoint-inspector/io/testing';
import { MsgpackReader } from '../msgpack/read.ts';

interface CheckpointRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly checkpoint: Buffer;
  readonly metadata: Buffer;
}

interface WriteRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  readonly value: Buffer;
}

/** The members of a msgpack map: each value as its own bytes, and as JSON text. */
export function msgpackMembers(bytes: Buffer): Map<string, { readonly bytes: Buffer; readonly text: string }> {
  const head = bytes.readUInt8(0);
  const [count, start] = head === 0xde ? [bytes.readUInt16BE(1), 3] : [head & 0x0f, 1];
  if (head !== 0xde && (head < 0x80 || head > 0x8f)) throw new Error('The bytes are no map.');
  const reader = new MsgpackReader(bytes, start);
  const members = new Map<string, { bytes: Buffer; text: string }>();
  for (let n = 0; n < count; n++) {
    const key = String(JSON.parse(reader.value()));
    const from = reader.at;
    const text = reader.value();
    members.set(key, { bytes: bytes.subarray(from, reader.at), text });
  }
  return members;
}

/** None, texts, numbers and booleans stay in the row; of a delta snapshot a marker does. */
const isInline = (text: string): boolean => /^(null|true|false|".*"|-?[0-9].*)$/s.test(text);
const isSnapshot = (text: string): boolean =>
  text.startsWith('{"$type":"langgraph.checkpoint.serde.types._DeltaSnapshot"');

export async function loadPython(source: SqliteDatabase, target: TestPostgres): Promise<void> {
  const rows = source.prepare<CheckpointRow>('SELECT * FROM checkpoints ORDER BY rowid').all();
  for (const row of rows) await insertCheckpoint(target, row);
  for (const row of source.prepare<WriteRow>('SELECT * FROM writes ORDER BY rowid').all()) {
    await target.run('INSERT INTO checkpoint_writes VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
      row.thread_id,
      row.checkpoint_ns,
      row.checkpoint_id,
      row.task_id,
      row.idx,
      row.channel,
      row.type,
      row.value,
    ]);
  }
}

async function insertCheckpoint(target: TestPostgres, row: CheckpointRow): Promise<void> {
  const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id, parent_checkpoint_id: parent } = row;
  const members = msgpackMembers(row.checkpoint);
  const values = msgpackMembers(members.get('channel_values')?.bytes ?? Buffer.from([0x80]));
  const versions = JSON.parse(members.get('channel_versions')?.text ?? '{}') as Readonly<Record<string, string>>;
  const inline: string[] = [];
  for (const [channel, { text, bytes }] of values) {
    const version = versions[channel];
    if (isInline(text) || version === undefined) inline.push(`${JSON.stringify(channel)}:${text}`);
    else {
      if (isSnapshot(text)) inline.push(`${JSON.stringify(channel)}:true`);
      const sql = 'INSERT INTO checkpoint_blobs VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING';
      await target.run(sql, [thread, ns, channel, version, 'msgpack', bytes]);
    }
  }
  const parts = [...members].map(([key, { text }]) => {
    return `${JSON.stringify(key)}:${key === 'channel_values' ? `{${inline.join(',')}}` : text}`;
  });
  const sql = `INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb)`;
  await target.run(sql, [thread, ns, id, parent, `{${parts.join(',')}}`, row.metadata.toString('utf8')]);
}
