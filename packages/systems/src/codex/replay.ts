/** What the model sees after a line: the items of the conversation, as stored. */
import { memberOf, parseJson, sourceOf, type GrownStates, type JsonNode } from '@checkpoint-inspector/core';
import { joined, type Growth, type Line, type Replay } from '../log/index.ts';
import { kindOf, type Kind } from './records.ts';

/** What is kept of the turn beside the items: the last of each counts. */
interface Beside {
  readonly turn?: string | undefined;
  readonly usage?: string | undefined;
}

export class CodexReplay implements Replay {
  #items: string[] = [];
  #beside: Beside = {};
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): CodexReplay {
    const copy = new CodexReplay();
    copy.#items = [...this.#items];
    copy.#beside = this.#beside;
    copy.#size = this.#size;
    return copy;
  }

  line(line: Line): void {
    const kind = kindOf(line);
    if (kind?.type === 'response_item') this.#add(itemOf(line));
    else if (kind?.type === 'compacted') this.#compact(line);
    else if (kind) this.#beside = besideAfter(this.#beside, kind, line);
  }

  text(): string {
    const { turn, usage } = this.#beside;
    const members = `${turn === undefined ? '' : `"turn":${turn},`}${usage === undefined ? '' : `"usage":${usage},`}`;
    return joined(`{${members}"items":[`, this.#items, ']}');
  }

  #add(item: string): void {
    this.#items.push(item);
    this.#size += item.length;
  }

  #compact(line: Line): void {
    const compacted = compactedIn(line);
    if (!compacted) return;
    const items = compacted.history ?? summaryOf(this.#items, compacted.message);
    this.#items = [];
    this.#size = 0;
    for (const item of items) this.#add(item);
  }
}

/** Counts the items that two states have in common, and keeps those behind them. */
export class CodexGrowth implements Growth {
  #count = 0;
  #isCounted = true;
  #beside: Beside = {};
  /** From `begin` on: what the earlier state has beside its items, and the items behind them. */
  #since: { readonly beside: Beside; readonly items: string[] } | undefined;

  copy(): CodexGrowth {
    const copy = new CodexGrowth();
    copy.#count = this.#count;
    copy.#isCounted = this.#isCounted;
    copy.#beside = this.#beside;
    return copy;
  }

  line(line: Line): void {
    const kind = kindOf(line);
    if (kind?.type === 'compacted') this.#compact(line);
    else if (kind?.type !== 'response_item') this.#beside = kind ? besideAfter(this.#beside, kind, line) : this.#beside;
    else if (this.#since) this.#since.items.push(itemOf(line));
    else this.#count++;
  }

  begin(): void {
    this.#since = { beside: this.#beside, items: [] };
  }

  grown(): GrownStates | undefined {
    const since = this.#since;
    if (!since || !this.#isCounted) return undefined;
    const members = (['turn', 'usage'] as const).map((key) => ({
      key,
      before: since.beside[key],
      after: this.#beside[key],
    }));
    return { members, list: { key: 'items', count: this.#count, before: [], after: since.items } };
  }

  #compact(line: Line): void {
    const compacted = compactedIn(line);
    if (!compacted) return;
    this.#count = compacted.history?.length ?? 0;
    // The older form keeps some of the items, which aren't kept here.
    this.#isCounted = compacted.history !== undefined && this.#since === undefined;
  }
}

const itemOf = (line: Line): string => payloadOf(line) ?? brokenItem(line);

function besideAfter(beside: Beside, { type, of }: Kind, line: Line): Beside {
  if (type === 'turn_context') return { ...beside, turn: payloadOf(line) ?? beside.turn };
  if (of !== 'token_count') return beside;
  return { ...beside, usage: payloadOf(line, 'info', 'total_token_usage') ?? beside.usage };
}

/** A line that replaces the items before it: with those that it has, or in the older form with a summary alone. */
function compactedIn(line: Line): { readonly history?: readonly string[]; readonly message?: string } | undefined {
  const text = line.bytes.toString();
  const payload = objectIn(text, 'payload');
  if (!payload) return undefined;
  const history = memberOf(payload, 'replacement_history')?.value;
  if (history?.kind === 'array') return { history: history.items.map((item) => sourceOf(text, item)) };
  const message = memberOf(payload, 'message')?.value;
  return message?.kind === 'string' ? { message: sourceOf(text, message) } : {};
}

/** What people said stays, and the summary comes after it. */
function summaryOf(items: readonly string[], message: string | undefined): string[] {
  const kept = items.filter((item) => /^\{"type":"message"(?:,"id":"[^"]*")?,"role":"user"/.test(item));
  if (message === undefined) return kept;
  return [...kept, `{"type":"message","role":"user","content":[{"type":"input_text","text":${message}}]}`];
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
