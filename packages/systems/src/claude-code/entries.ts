/** The lines of a transcript. What is known of them comes from public reports; see the README. */
import { isRecord, numberIn, recordOf, textIn, type Fields } from '../folder/view.ts';
import { valueIn } from '../log/index.ts';

/** A line with a place in the chain: it names itself and what it follows. */
export interface Entry {
  readonly record: Fields;
  readonly type: string;
  readonly uuid: string;
  readonly parent: string | undefined;
  /** At the beginning after a compaction: the last message before it. */
  readonly logicalParent: string | undefined;
  readonly isSide: boolean;
  readonly message: Fields;
}

/** A call of a tool, or the result of one. */
export interface Block {
  readonly kind: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly fields: Fields;
}

/** Any line; `entry` is absent for bookkeeping: titles, snapshots of files, queues. @throws InspectorError unreadable */
export function readLine(bytes: Buffer): { readonly type: string; readonly record: Fields; readonly entry?: Entry } {
  const record = recordOf(valueIn(bytes));
  const [type = '', uuid] = ['type', 'uuid'].map((key) => textIn(record, key));
  if (uuid === undefined) return { type, record };
  const entry = {
    record,
    type,
    uuid,
    parent: textIn(record, 'parentUuid'),
    logicalParent: textIn(record, 'logicalParentUuid'),
    isSide: record['isSidechain'] === true,
    message: recordOf(record['message']),
  };
  return { type, record, entry };
}

function contentOf({ message }: Entry): readonly unknown[] {
  const { content } = message;
  return Array.isArray(content) ? content : [content];
}

export function blocksOf(entry: Entry): readonly Block[] {
  return contentOf(entry)
    .filter(isRecord)
    .map((fields) => ({
      fields,
      kind: textIn(fields, 'type') ?? '',
      id: textIn(fields, 'id') ?? textIn(fields, 'tool_use_id'),
      name: textIn(fields, 'name'),
    }));
}

/** The texts of a message, without calls and results. */
export function wordsOf(entry: Entry): string {
  const words = contentOf(entry).map((part) => (typeof part === 'string' ? part : textIn(recordOf(part), 'text')));
  return words.filter((word) => word !== undefined).join('\n');
}

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

/** All tokens of an answer so far: read, cached and written. */
export function tokensOf({ message }: Entry): number | undefined {
  const usage = recordOf(message['usage']);
  const counts = COUNTS.flatMap((key) => numberIn(usage, key) ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}
