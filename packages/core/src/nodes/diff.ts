import { type DiffOptions, type Diff } from '../diff/index.ts';
import { PartialDiff } from '../diff/diff.ts';
import { child, ROOT, step, type Trail } from '../diff/trail.ts';
import { type JsonNode, parseJson } from '../json/index.ts';
import { listed, nodeAt, type Nodes, REF, refsIn, textOf, withoutRefs } from './text.ts';
import { KIND } from './types.ts';

export type ReadNodes = (ids: readonly number[]) => Nodes | Promise<Nodes>;

/** A value in a state: a node of its own, or a place in the body of one. */
type Slot = { readonly id: number } | { readonly body: Body; readonly node: JsonNode };

/** Parsed, with a zero in the place of each reference. */
interface Body {
  readonly text: string;
  readonly root: JsonNode;
  /** By offset. */
  readonly refs: ReadonlyMap<number, number>;
}

/** Two values that are to be compared, or one that the other state has not. */
interface Pair {
  readonly before: Slot | undefined;
  readonly after: Slot | undefined;
  readonly was: Trail;
  readonly now: Trail;
}

/**
 * What `diffJson` says about two stored states, without reading what they share. Where elements of an array repeat, it
 * can name another of the equal ones.
 * @throws InspectorError unreadable (a node is missing) | invalid_input (an ignore rule)
 * @example const { items } = await diffNodes(root, other, read);
 */
export async function diffNodes(
  before: number,
  after: number,
  read: ReadNodes,
  options: DiffOptions = {},
): Promise<Omit<Diff, 'equal'>> {
  const comparison = new NodeComparison(read, new PartialDiff(options));
  await comparison.run({ before: { id: before }, after: { id: after }, was: ROOT, now: ROOT });
  return comparison.diff.result();
}

class NodeComparison {
  readonly diff: PartialDiff;
  readonly #read: ReadNodes;
  readonly #nodes = new Map<number, { kind: 0 | 1 | 2 | 3 | 4; body: string; hash: string }>();
  readonly #bodies = new Map<string, Body>();

  constructor(read: ReadNodes, diff: PartialDiff) {
    this.#read = read;
    this.diff = diff;
  }

  async run(first: Pair): Promise<void> {
    const pairs = [first];
    for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
      // oxlint-disable-next-line no-await-in-loop -- in the order of the state
      pairs.push(...(await this.#compare(pair)).toReversed());
    }
  }

  /** Tells what differs; answers the pairs that come next. */
  async #compare(pair: Pair): Promise<readonly Pair[]> {
    const { before, after } = pair;
    if (before && after) {
      if (this.#isSame(before, after)) return [];
      await this.#load([before, after].flatMap(idOf));
      const [old, now] = [this.#kindOf(before), this.#kindOf(after)];
      if (old === 'object' && now === 'object') return this.#objects(before, after, pair);
      if (old === 'array' && now === 'array') {
        await this.#arrays(before, after, pair);
        return [];
      }
    }
    this.diff.add(await this.#text(before), await this.#text(after), pair);
    return [];
  }

  async #objects(before: Slot, after: Slot, { was, now }: Pair): Promise<readonly Pair[]> {
    const [oldGroups, newGroups] = [await this.#groups(before), await this.#groups(after)];
    const oldIds = new Set(oldGroups?.map(([id]) => id));
    const shared = new Set(newGroups?.map(([id]) => id).filter((id) => oldIds.has(id)));
    const olds = await this.#members(before, oldGroups, shared);
    const news = await this.#members(after, newGroups, shared);
    if (olds === undefined || news === undefined) {
      this.diff.add(await this.#text(before), await this.#text(after), { was, now });
      return [];
    }
    const changed = [...olds].map(([key, slot]): Pair => {
      const other = news.get(key);
      return other === undefined
        ? { before: slot, after: undefined, was: child(was, key), now }
        : { before: slot, after: other, ...step(was, now, key, key) };
    });
    const added = [...news].filter(([key]) => !olds.has(key));
    return [...changed, ...added.map(([key, slot]) => ({ before: undefined, after: slot, was, now: child(now, key) }))];
  }

  async #arrays(before: Slot, after: Slot, { was, now }: Pair): Promise<void> {
    const olds = await this.#groups(before);
    const news = await this.#groups(after);
    let offset = 0;
    let head = 0;
    let tail = 0;
    if (olds && news) {
      const most = Math.min(olds.length, news.length);
      for (; head < most && olds[head]?.[0] === news[head]?.[0]; head++) offset += olds[head]?.[1] ?? 0;
      while (tail < most - head && olds.at(-1 - tail)?.[0] === news.at(-1 - tail)?.[0]) tail++;
    }
    const oldItems = await this.#items(before, olds?.slice(head, olds.length - tail));
    const newItems = await this.#items(after, news?.slice(head, news.length - tail));
    const most = Math.min(oldItems.length, newItems.length);
    const isSame = (a: Slot | undefined, b: Slot | undefined): boolean =>
      a !== undefined && b !== undefined && this.#isSame(a, b);
    let first = 0;
    while (first < most && isSame(oldItems[first], newItems[first])) first++;
    let last = 0;
    while (last < most - first && isSame(oldItems.at(-1 - last), newItems.at(-1 - last))) last++;
    const textOfAll = async (items: readonly Slot[]): Promise<string> => {
      const own = items.slice(first, items.length - last);
      await this.#loadAll(own);
      return `[${own.map((slot) => this.#loadedText(slot)).join(',')}]`;
    };
    this.diff.add(await textOfAll(oldItems), await textOfAll(newItems), { was, now, offset: offset + first });
  }

  #isSame(a: Slot, b: Slot): boolean {
    if ('id' in a || 'id' in b) return 'id' in a && 'id' in b && a.id === b.id;
    return this.#stored(a) === this.#stored(b);
  }

  /** As it is in its body, references included. */
  #stored({ body, node }: Exclude<Slot, { id: number }>): string {
    if (body.refs.size === 0) return body.text.slice(node.start, node.end);
    let text = '';
    let at = node.start;
    for (const [offset, id] of body.refs) {
      if (offset < node.start || offset >= node.end) continue;
      text += `${body.text.slice(at, offset)}\u001f${id};`;
      at = offset + 1;
    }
    return text + body.text.slice(at, node.end);
  }

  #kindOf(slot: Slot): JsonNode['kind'] {
    if (!('id' in slot)) return slot.node.kind;
    const { kind, body } = nodeAt(this.#nodes, slot.id);
    if (kind === KIND.array) return 'array';
    return kind === KIND.object ? 'object' : this.#body(body).root.kind;
  }

  /** The lowest nodes of a cut container with their numbers of entries; `undefined` where it is in one body. */
  async #groups(slot: Slot): Promise<readonly (readonly [id: number, count: number])[] | undefined> {
    if (!('id' in slot)) return undefined;
    const { kind, body } = nodeAt(this.#nodes, slot.id);
    if (kind !== KIND.array && kind !== KIND.object) return undefined;
    let groups = listed(body);
    for (;;) {
      const [first] = groups;
      if (first === undefined) return groups;
      // oxlint-disable-next-line no-await-in-loop -- a level names the next one
      await this.#load([first[0]]);
      if (nodeAt(this.#nodes, first[0]).kind === KIND.entries) return groups;
      // oxlint-disable-next-line no-await-in-loop
      await this.#load(groups.map(([id]) => id));
      groups = groups.flatMap(([id]) => listed(nodeAt(this.#nodes, id).body));
    }
  }

  /** By key; `undefined` where a key occurs twice. */
  async #members(
    slot: Slot,
    groups: readonly (readonly [number, number])[] | undefined,
    without: ReadonlySet<number>,
  ): Promise<ReadonlyMap<string, Slot> | undefined> {
    const ids = groups?.map(([id]) => id).filter((id) => !without.has(id));
    if (ids) await this.#load(ids);
    const parts = ids ? ids.map((id) => this.#entries(id, '{}')) : [this.#inline(slot)];
    const members = parts.flatMap(({ body, node }) =>
      node.kind === 'object' ? node.members.map((member) => ({ body, member })) : [],
    );
    if (members.some(({ member }) => member.duplicate)) return undefined;
    return new Map(members.map(({ body, member: { key, value } }) => [key, slotAt(body, value)]));
  }

  async #items(slot: Slot, groups: readonly (readonly [number, number])[] | undefined): Promise<readonly Slot[]> {
    const ids = groups?.map(([id]) => id);
    if (ids) await this.#load(ids);
    const parts = ids ? ids.map((id) => this.#entries(id, '[]')) : [this.#inline(slot)];
    return parts.flatMap(({ body, node }) =>
      node.kind === 'array' ? node.items.map((item) => slotAt(body, item)) : [],
    );
  }

  #entries(id: number, [open = '', close = '']: string): Exclude<Slot, { id: number }> {
    const body = this.#body(`${open}${nodeAt(this.#nodes, id).body}${close}`);
    return { body, node: body.root };
  }

  #inline(slot: Slot): Exclude<Slot, { id: number }> {
    if (!('id' in slot)) return slot;
    const body = this.#body(nodeAt(this.#nodes, slot.id).body);
    return { body, node: body.root };
  }

  #body(stored: string): Body {
    const known = this.#bodies.get(stored);
    if (known) return known;
    const { text, refs } = withoutRefs(stored);
    const body = { text, root: parseJson(text), refs };
    this.#bodies.set(stored, body);
    return body;
  }

  async #text(slot: Slot | undefined): Promise<string | undefined> {
    if (slot === undefined) return undefined;
    await this.#loadAll([slot]);
    return this.#loadedText(slot);
  }

  #loadedText(slot: Slot): string {
    if ('id' in slot) return textOf(this.#nodes, slot.id);
    return this.#stored(slot).replace(REF, (_, id: string) => textOf(this.#nodes, Number(id)));
  }

  /** All that they are made of, a level at a time. */
  async #loadAll(slots: readonly Slot[]): Promise<void> {
    let wanted = slots.flatMap((slot) => ('id' in slot ? [slot.id] : refsIn(this.#stored(slot))));
    while (wanted.length > 0) {
      // oxlint-disable-next-line no-await-in-loop -- a level names the next one
      await this.#load(wanted);
      wanted = [...new Set(wanted.flatMap((id) => refsIn(nodeAt(this.#nodes, id).body)))];
    }
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#nodes.has(id));
    if (missing.length === 0) return;
    for (const [id, node] of await this.#read(missing)) this.#nodes.set(id, node);
  }
}

const idOf = (slot: Slot): number[] => ('id' in slot ? [slot.id] : []);

function slotAt(body: Body, node: JsonNode): Slot {
  const id = body.refs.get(node.start);
  return id === undefined ? { body, node } : { id };
}
