import { notThere } from '../json/part.ts';
import type { Path } from '../json/path.ts';
import { entriesIn, entriesOf } from './entries.ts';
import { type NodeLimits, NodeReader, type NodeWork, type Slot, TooMuch } from './reading.ts';

/** Some of a value. */
export interface NodePart {
  /** JSON text of the value, or of the members that were asked for. */
  readonly text: string;
  /** Members of the value, where it is a list or an object. */
  readonly count?: number;
}

export interface PartRange {
  readonly offset: number;
  readonly limit: number;
}

/** Above these the whole text is the cheaper way. */
const PART_LIMITS: NodeLimits = { reads: 5_000, characters: 16_000_000 };

/**
 * The value at a path of a stored state, or its members in a range, without reading the others: the counts in the
 * nodes tell where a page of a list is.
 * @returns undefined where the text is the cheaper way
 * @throws InspectorError not_found, `data.path` is the deepest part that is there | unreadable (a node is missing)
 * @example answerNodes(partOfNodes(root, ['messages'], { offset: 50, limit: 50 }), (ids) => readBodies(db, ids))
 */
export function* partOfNodes(
  root: number,
  path: Path,
  range?: PartRange,
  limits: NodeLimits = PART_LIMITS,
): NodeWork<NodePart | undefined> {
  return yield* within(limits, function* (reader) {
    const found = yield* slotAlong(reader, root, path);
    if (typeof found === 'number') throw notThere(path, found);
    return yield* partOfSlot(reader, found, range);
  });
}

/**
 * The texts of the values at a path of many stored states, each absent where the state has none there. What the states
 * share is read once.
 * @returns undefined where they are to be read one by one
 * @throws InspectorError unreadable (a node is missing)
 */
export function* valuesOfNodes(
  roots: readonly number[],
  path: Path,
  limits: NodeLimits = PART_LIMITS,
): NodeWork<readonly (string | undefined)[] | undefined> {
  return yield* within(limits, function* (reader) {
    yield* reader.load(roots);
    const values: (string | undefined)[] = [];
    for (const root of roots) {
      const found = yield* slotAlong(reader, root, path);
      values.push(typeof found === 'number' ? undefined : yield* reader.text(found));
    }
    return values;
  });
}

/** @returns undefined where the limits are reached */
function* within<T>(limits: NodeLimits, work: (reader: NodeReader) => NodeWork<T>): NodeWork<T | undefined> {
  try {
    return yield* work(new NodeReader(limits));
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

/** The value at a path, else how many steps of the path lead to something. */
function* slotAlong(reader: NodeReader, root: number, path: Path): NodeWork<Slot | number> {
  let slot: Slot = { id: root };
  for (const [depth, step] of path.entries()) {
    const found: Slot | undefined = yield* childAt(reader, slot, step);
    if (found === undefined) return depth;
    slot = found;
  }
  return slot;
}

function* childAt(reader: NodeReader, slot: Slot, step: string | number): NodeWork<Slot | undefined> {
  const entries = yield* entriesOf(reader, slot);
  if (entries === undefined || (entries.kind === 'array') !== (typeof step === 'number')) return undefined;
  if (typeof step === 'number') return (yield* entriesIn(reader, entries, step, step + 1))[0]?.slot;
  // Of two equal keys the last one counts.
  return (yield* entriesIn(reader, entries, 0, entries.count)).findLast(({ key }) => key === step)?.slot;
}

function* partOfSlot(reader: NodeReader, slot: Slot, range: PartRange | undefined): NodeWork<NodePart> {
  const entries = yield* entriesOf(reader, slot);
  const count = entries && { count: entries.count };
  if (entries === undefined || range === undefined) return { text: yield* reader.text(slot), ...count };
  const { offset, limit } = range;
  const found = yield* entriesIn(reader, entries, offset, offset + limit);
  const texts = yield* reader.texts(found.map((entry) => entry.slot));
  const members = texts.map((text, at) => (found[at]?.prefix ?? '') + text).join(',');
  return { text: entries.kind === 'array' ? `[${members}]` : `{${members}}`, ...count };
}
