/** Values that a serializer writes as objects because JSON has none of their type: times, amounts, ids. */
import { PartsLeaf, TypedLeaf, type Leaf } from './leaf.ts';

/** A value of a state, as far as is asked here. */
type Part = TypedObject | TypedList | Leaf;

interface Span {
  readonly home: string;
  readonly start: number;
  readonly end: number;
}

interface TypedObject extends Span {
  readonly kind: 'object';
  readonly members: readonly { readonly key: string; readonly start: number; readonly value: Part }[];
}

interface TypedList extends Span {
  readonly kind: 'array';
  readonly items: readonly Part[];
}

/** The first key of such an object: its value is the name of a type. */
export const TYPE = '$type';
const VALUE = 'value';
/** Types of which no part says anything alone, by the last part of their name in lower case. */
const INDIVISIBLE = new Set('date time datetime timedelta timezone timestamp duration uuid decimal'.split(' '));
/** A list of more parts is one of values. */
const MOST_PARTS = 8;
/** A time has a zone inside it, the zone a list with its offset; nothing is deeper. */
const MOST_LEVELS = 4;

/**
 * The one value that an object is: `{"$type":"…","value":"3.14"}`, or a time whose parts are plain. `undefined` for
 * any other object, such as a set or an object with fields of its own.
 */
export function oneValue(object: TypedObject, level = 0): Leaf | undefined {
  const [type, first, ...more] = object.members;
  if (type?.key !== TYPE || type.value.kind !== 'string' || first === undefined) return undefined;
  const only = more.length === 0 && first.key === VALUE ? first.value : undefined;
  if (only !== undefined && isPlain(only)) return new TypedLeaf(object, only);
  const name = type.value.value.toLowerCase().split('.').at(-1) ?? '';
  if (!INDIVISIBLE.has(name) || ![first, ...more].every(({ value }) => isPart(value, level))) return undefined;
  const [start, end] = only === undefined ? [first.start, object.end - 1] : [only.start, only.end];
  return new TypedLeaf(object, new PartsLeaf('string', object.home, start, end));
}

const isPlain = (part: Part): part is Leaf => part.kind !== 'object' && part.kind !== 'array';

/** Plain, such a value itself, or a few of them. */
function isPart(part: Part, level: number): boolean {
  if (isPlain(part)) return true;
  if (level >= MOST_LEVELS) return false;
  if (part.kind === 'object') return oneValue(part, level + 1) !== undefined;
  return part.items.length <= MOST_PARTS && part.items.every((item) => isPart(item, level + 1));
}
