/** Values as LangGraph's serializer writes them, as JSON: other types than JSON are kept as their bytes. */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

const TYPED = '$typed';

/** JSON text as the serializer writes it; anything else, and what would be taken for that, in an envelope. */
export async function dumpText(serde: SerializerProtocol, value: unknown): Promise<string> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const text = type === 'json' ? new TextDecoder().decode(bytes) : undefined;
  if (text !== undefined && !text.startsWith(`{"${TYPED}"`) && text.isWellFormed()) return text;
  return JSON.stringify({ [TYPED]: [type, Buffer.from(bytes).toString('base64')] });
}

export async function loadText(serde: SerializerProtocol, text: string): Promise<unknown> {
  if (!text.startsWith(`{"${TYPED}"`)) return serde.loadsTyped('json', text);
  const { [TYPED]: parts } = JSON.parse(text) as { [TYPED]: [string, string] };
  return serde.loadsTyped(parts[0], new Uint8Array(Buffer.from(parts[1], 'base64')));
}
