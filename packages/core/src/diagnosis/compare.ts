import { IgnoreRules } from '../diff/ignore.ts';
import type { Path } from '../json/path.ts';
import { align } from './align.ts';
import { asText, isLine } from './lines.ts';
import type { Place } from './place.ts';
import { placeBelow, type Survey } from './places.ts';
import { isEqual, valuesByKey } from './same.ts';
import { haveSameKeys, isSameText, type ListNode, type Node, type ObjectNode } from './tree.ts';

/** Deeper than this, an unequal value is one row. */
const MAX_DEPTH = 2_000;

/** One row of a diff. What only moved is none: nothing was written. */
export interface Row {
  readonly kind: 'added' | 'removed' | 'changed' | 'type-changed';
  /** In the new state; of what was removed, in the old one. */
  readonly place: Place;
  /** Of what was there before, in the old state. */
  readonly was: Place;
  readonly old: Node | undefined;
  readonly now: Node | undefined;
}

/**
 * The rows of `diffJson`, without moves, of two states that share what did not change; one of a value with the name of its
 * type, and of a line that is an entry those of its fields.
 */
export function rowsBetween(before: Survey, after: Survey, top: Place, ignore: readonly string[] = []): Row[] {
  const comparison = new Comparison(new IgnoreRules(ignore), ignore.length > 0);
  comparison.compare(before.root, after.root, top, top);
  return comparison.rows;
}

class Comparison {
  readonly rows: Row[] = [];
  readonly #ignore: IgnoreRules;
  readonly #hasRules: boolean;

  constructor(ignore: IgnoreRules, hasRules: boolean) {
    this.#ignore = ignore;
    this.#hasRules = hasRules;
  }

  compare(old: Node, value: Node, was: Place, now: Place): void {
    if (isSameText(old, value)) return;
    const [before, after] = isLine(old) && isLine(value) ? [old, value] : [asText(old), asText(value)];
    if (before.kind !== after.kind) {
      this.#row('type-changed', now, was, before, after);
    } else if (before.kind === 'array' && after.kind === 'array' && now.depth < MAX_DEPTH) {
      this.#compareLists(before, after, was, now);
    } else if (
      before.kind === 'object' &&
      after.kind === 'object' &&
      now.depth < MAX_DEPTH &&
      haveSameHidden(before, after) &&
      !(isOne(before) && isOne(after))
    ) {
      this.#compareObjects(before, after, was, now);
    } else if (!isEqual(before, after)) {
      this.#row('changed', now, was, before, after);
    }
  }

  #compareObjects(before: ObjectNode, after: ObjectNode, was: Place, now: Place): void {
    const isPlain = !before.hasDuplicate && !after.hasDuplicate;
    if (isPlain && haveSameKeys(before.members, after.members)) {
      for (let at = 0; at < before.members.length; at++) {
        const [one, other] = [before.members[at], after.members[at]];
        if (!one || !other || one === other || isSameText(one.value, other.value)) continue;
        const { key } = one;
        const place = placeBelow(now, after, key);
        this.compare(
          one.value,
          other.value,
          was === now && before.isMap === after.isMap ? place : placeBelow(was, before, key),
          place,
        );
      }
      return;
    }
    const olds = new Map(before.members.map(({ key, value }) => [key, value]));
    const news = new Map(after.members.map(({ key, value }) => [key, value]));
    for (const [key, value] of olds) {
      const other = news.get(key);
      if (other === undefined) this.#removed(value, placeBelow(was, before, key));
      else if (!isSameText(value, other)) {
        this.compare(value, other, placeBelow(was, before, key), placeBelow(now, after, key));
      }
    }
    for (const [key, value] of news) if (!olds.has(key)) this.#added(value, placeBelow(now, after, key));
  }

  #compareLists(before: ListNode, after: ListNode, was: Place, now: Place): void {
    const { head, before: left, after: right, matching } = align(before, after, (steps) => this.#mayUse(now, steps));
    let gone = 0;
    const removeUpTo = (end: number): void => {
      for (; gone < end; gone++) {
        const value = before.items[head + gone];
        if (matching.to[gone] === -1 && value) this.#removed(value, placeBelow(was, before, head + gone));
      }
    };
    for (let at = 0; at < right; at++) {
      const value = after.items[head + at];
      const from = matching.from[at] ?? -1;
      const other = before.items[head + from];
      if (value === undefined) continue;
      if (from < 0 || other === undefined) {
        this.#added(value, placeBelow(now, after, head + at));
        continue;
      }
      if (!matching.moved.has(at)) removeUpTo(from);
      if (isSameText(other, value)) continue;
      this.compare(other, value, placeBelow(was, before, head + from), placeBelow(now, after, head + at));
    }
    removeUpTo(left);
  }

  #mayUse(now: Place, steps: Path): boolean {
    return !this.#hasRules || !this.#ignore.covers([...now.path, 0, ...steps]);
  }

  #added(value: Node, place: Place): void {
    this.#row('added', place, place, undefined, value);
  }

  #removed(value: Node, place: Place): void {
    this.#row('removed', place, place, value, undefined);
  }

  #row(kind: Row['kind'], place: Place, was: Place, old: Node | undefined, now: Node | undefined): void {
    if (this.#hasRules && this.#ignore.hides(place.path)) return;
    this.rows.push({ kind, place, was, old, now });
  }
}

/** Its parts are no rows of their own. */
const isOne = (object: ObjectNode): boolean => object.size > 0 && object.leaf !== undefined;

/** Not where values that only a later one of the same key hides differ: no path can name them. */
function haveSameHidden(before: ObjectNode, after: ObjectNode): boolean {
  if (!before.hasDuplicate && !after.hasDuplicate) return true;
  const [olds, news] = [valuesByKey(before), valuesByKey(after)];
  return [...new Set([...olds.keys(), ...news.keys()])].every((key) => {
    const [a, b] = [olds.get(key)?.slice(0, -1) ?? [], news.get(key)?.slice(0, -1) ?? []];
    return a.length === b.length && a.every((node, at) => isEqual(node, b[at] ?? node));
  });
}
