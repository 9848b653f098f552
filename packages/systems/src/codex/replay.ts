/** What the model sees after a line: the items of the conversation, as stored. */
import { memberOf, parseJson, sourceOf, type JsonNode } from '@checkpoint-inspector/core';
import { joined, type Line, type Replay } from '../log/index.ts';
import { kindOf } from './records.ts';

export class CodexReplay implements Replay {
  #items: string[] = [];
  #turn: string | undefined;
  #usage: string | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): CodexReplay {
    const copy = new CodexReplay();
    copy.#items = [...this.#items];
    copy.#turn = this.#turn;
    copy.#usage = this.#usage;
    copy.#size = this.#size;
    return copy;
  }

  line(line: Line): void {
    const kind = kindOf(line);
    if (!kind) return;
    if (kind.type === 'response_item') this.#add(payloadOf(line) ?? brokenItem(line));
    else if (kind.type === 'turn_context') this.#turn = payloadOf(line) ?? this.#turn;
    else if (kind.type === 'compacted') this.#compact(line);
    else if (kind.of === 'token_count') this.#usage = payloadOf(line, 'info', 'total_token_usage') ?? this.#usage;
  }

  text(): string {
    const turn = this.#turn === undefined ? '' : `"turn":${this.#turn},`;
    const usage = this.#usage === undefined ? '' : `"usage":${this.#usage},`;
    return joined(`{${turn}${usage}"items":[`, this.#items, ']}');
  }

  #add(item: string): void {
    this.#items.push(item);
    this.#size += item.length;
  }

  #compact(line: Line): void {
    const text = line.bytes.toString();
    const payload = objectIn(text, 'payload');
    if (!payload) return;
    const history = memberOf(payload, 'replacement_history')?.value;
    const items =
      history?.kind === 'array' ? history.items.map((item) => sourceOf(text, item)) : this.#summary(text, payload);
    this.#items = [];
    this.#size = 0;
    for (const item of items) this.#add(item);
  }

  /** The older form has only the words: what people said stays, and the summary comes after it. */
  #summary(text: string, payload: JsonNode): string[] {
    const message = payload.kind === 'object' ? memberOf(payload, 'message')?.value : undefined;
    const kept = this.#items.filter((item) => /^\{"type":"message"(?:,"id":"[^"]*")?,"role":"user"/.test(item));
    if (message?.kind !== 'string') return kept;
    return [
      ...kept,
      `{"type":"message","role":"user","content":[{"type":"input_text","text":${sourceOf(text, message)}}]}`,
    ];
  }
}

/** The payload of a line as stored, or something inside; nothing where the line is broken there. */
function payloadOf(line: Line, ...path: readonly string[]): string | undefined {
  const text = line.bytes.toString();
  let node: JsonNode | undefined = objectIn(text, 'payload');
  for (const key of path) node = node?.kind === 'object' ? memberOf(node, key)?.value : undefined;
  return node?.kind === 'object' ? sourceOf(text, node) : undefined;
}

function objectIn(text: string, key: string) {
  try {
    const root = parseJson(text);
    const value = root.kind === 'object' ? memberOf(root, key)?.value : undefined;
    return value?.kind === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What can't be read stays in its place, with where it is. */
const brokenItem = ({ at, end }: Line): string => `{"type":"unreadable","at_byte":${at},"bytes":${end - at}}`;
