/** Values as LangGraph's serializer writes them, as JSON: other types than JSON are kept as their bytes. */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

/** The only key of an envelope. */
export const ENVELOPE = '$typed';

const decoder = new TextDecoder();
const inJson = (type: string, bytes: Uint8Array): string | undefined => {
  const text = type === 'json' ? decoder.decode(bytes) : undefined;
  return text?.startsWith(`{"${ENVELOPE}"`) ? undefined : text;
};

/** JSON text as the serializer writes it; absent for anything else, and for what would be taken for an envelope. */
export async function textOf(serde: SerializerProtocol, value: unknown): Promise<string | undefined> {
  return inJson(...(await serde.dumpsTyped(value)));
}

/** JSON text as the serializer writes it, else in an envelope. */
export async function dumpText(serde: SerializerProtocol, value: unknown): Promise<string> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return inJson(type, bytes) ?? JSON.stringify({ [ENVELOPE]: [type, Buffer.from(bytes).toString('base64')] });
}

export async function loadText(serde: SerializerProtocol, text: string): Promise<unknown> {
  if (!text.startsWith(`{"${ENVELOPE}"`)) return serde.loadsTyped('json', text);
  const { [ENVELOPE]: parts } = JSON.parse(text) as { [ENVELOPE]: [string, string] };
  return serde.loadsTyped(parts[0], new Uint8Array(Buffer.from(parts[1], 'base64')));
}
