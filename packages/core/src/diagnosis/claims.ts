import { byNames, type Aliases } from './aliases.ts';
import type { Event } from './events.ts';
import type { Fields } from './fields.ts';
import type { Label } from './place.ts';
import type { Histories } from './history.ts';
import { isBlank, type Leaf } from './leaf.ts';
import { AGAINST, type Passage } from './passages.ts';
import type { Said } from './said.ts';
import type { Reading } from './readings.ts';
import { isConverted } from './units.ts';
import { numbersIn, shapeOf } from './values.ts';
import type { Work } from './work.ts';

/** What the reading of a step says of a field of an entry, and whether the state came to say the same. */
export interface Claim {
  readonly step: number;
  readonly place: Event;
  readonly words: string;
  readonly isMet: boolean;
  /** It says in so many words that this value is wrong. */
  readonly isExplicit?: true;
  /** Share of the other fields of its entry that are as they were read, where few values of this field ever were. */
  readonly beside?: number;
  /** How many times larger the values written then are than what was read, where both are numbers. */
  readonly ratios?: readonly number[];
}

export interface Claims {
  /** Unmet ones, by the key of the place. */
  readonly unmet: ReadonlyMap<Label, readonly Claim[]>;
  /** The keys of those that were said to be as they are, or in another unit. */
  readonly met: ReadonlySet<Label>;
  /** Share of the claims about a slot that are met; `undefined` where there are none. */
  trust(slot: Label): number | undefined;
}

/** A value may be written so many steps after it was read. */
const LATER = 2;
const MOST_PER_STEP = 4_000;

interface Heard {
  readonly readings: readonly (Reading | undefined)[];
  readonly aliases: Aliases;
  readonly fields: Fields;
}

/** @param places those that are worked on, not read */
export function* claimsOf(
  places: readonly Event[],
  histories: Histories,
  { readings, aliases, fields }: Heard,
): Work<Claims> {
  // Of a list of plain values nobody says what is in which place.
  const isSpokenOf = ({ place }: Event): boolean => typeof place.step !== 'number' || place.field.length > 0;
  const byName = byNames(places.filter(isSpokenOf), aliases);
  const unmet = new Map<Label, Claim[]>();
  const counts = new Map<Label, { met: number; of: number }>();
  const found: Claim[] = [];
  const kinds = new Kinds(places);
  for (const [step, reading] of readings.entries()) {
    if (reading === undefined) continue;
    yield;
    found.push(...claimsAt(step, reading, byName, { histories, fields, kinds }));
  }
  const isConverted = conversions(found);
  const wrong: Claim[] = [];
  const met = new Set<Label>();
  for (const claim of found) {
    const isMet = claim.isMet || isConverted(claim);
    const count = counts.get(claim.place.slot) ?? { met: 0, of: 0 };
    count.of += 1;
    count.met += Number(isMet);
    counts.set(claim.place.slot, count);
    if (isMet) met.add(claim.place.key);
    else wrong.push(claim);
  }
  for (const { beside = 0, ...claim } of wrong) {
    const { key, slot } = claim.place;
    const isKnown = (counts.get(slot)?.of ?? 0) > FEW;
    unmet.set(key, [...(unmet.get(key) ?? []), isKnown ? claim : { ...claim, beside }]);
  }
  return {
    unmet,
    met,
    trust(slot) {
      const count = counts.get(slot);
      return count === undefined ? undefined : count.met / count.of;
    },
  };
}

function claimsAt(
  step: number,
  reading: Reading,
  byName: ReadonlyMap<string, readonly Event[]>,
  { histories, fields, kinds }: { readonly histories: Histories; readonly fields: Fields; readonly kinds: Kinds },
): readonly Claim[] {
  const claims: Claim[] = [];
  let looked = 0;
  for (const [name, passages] of reading.about) {
    if (passages.length === 0) continue;
    const found: Claim[] = [];
    for (const place of byName.get(name) ?? []) {
      if ((looked += 1) > MOST_PER_STEP) return claims;
      const corrected = correctionOf(step, place, passages, histories);
      if (corrected) {
        found.push(corrected);
        continue;
      }
      // Right after the name of this field comes the entry's own, and then something else.
      if (place.after?.joined === name) continue;
      const mentioned = fields.of(place.place).filter((field) => reading.mentions(field));
      if (mentioned.length === 0) continue;
      const isWhole = fields.isCalledSo(place.place);
      const words: Said[] = [];
      for (const passage of passages) {
        const claim = mentioned.map((field) => passage.claim(field, isWhole)).find((one) => one !== undefined);
        // `check unit A-1` says no more than whose it is.
        if (claim && claim.joined !== name) words.push(claim);
      }
      if (words.length === 0) continue;
      const written = writtenFrom(step, place, histories);
      const isSaid = judged(written, words);
      const then = written.at(-1);
      // What is said last holds: a correction comes after what it corrects.
      const last = isSaid === true ? words.at(-1) : words.findLast((said) => mayBe(said, then, kinds.of(place.slot)));
      if (last === undefined || isSaid === undefined) continue;
      if (!isSaid && isOfAll(last, place, passages, { step, histories, kinds })) continue;
      // Who reads kilograms and writes grams takes what was read.
      const isMet = isSaid || written.some((leaf) => isConverted(leaf, last.text));
      const ratios = isMet ? [] : written.flatMap((leaf) => ratioOf(leaf, last) ?? []);
      const beside = isMet ? 0 : besideOf(step, place, byName.get(name) ?? [], passages, histories);
      found.push({ step, place, words: last.text, isMet, beside, ratios });
    }
    addOwn(found, claims);
  }
  return withoutCommon(claims);
}

/** From more of them it is known how far what is read of a field can be trusted. */
const FEW = 2;

/** Share of the other fields of its entry written with it that the step read of it, where these are several. */
function besideOf(
  step: number,
  { place, slot }: Event,
  own: readonly Event[],
  passages: readonly Passage[],
  histories: Histories,
): number {
  let [of, met] = [0, 0];
  for (const other of own) {
    if (other.place.entry !== place.entry || other.slot === slot) continue;
    const written = histories.of(other.key).find((event) => event.step >= step && event.step <= step + LATER)?.after;
    if (written === undefined || isBlank(written)) continue;
    of += 1;
    met += Number(passages.some(({ line }) => line.said.agreesWith(written) === true));
  }
  return met < 2 ? 0 : met / of;
}

/** Several values of a kind that differ from what was read by the same ratio were converted: cents, hours of a day. */
function conversions(claims: readonly Claim[]): (claim: Claim) => boolean {
  const keys = new Map<string, Set<Label>>();
  for (const claim of claims) {
    for (const name of ratioNames(claim)) keys.set(name, (keys.get(name) ?? new Set()).add(claim.place.key));
  }
  return (claim) => ratioNames(claim).some((name) => (keys.get(name)?.size ?? 0) > 1);
}

const ratioNames = ({ place, ratios = [] }: Claim): readonly string[] =>
  ratios.map((ratio) => `${place.slot.id} ${ratio.toPrecision(3)}`);

/** Without those that were met by another entry of the same name: the words were about that one. */
function addOwn(found: readonly Claim[], claims: Claim[]): void {
  for (const claim of found) {
    if (claim.isMet || !found.some((other) => other.isMet && isNamesake(other, claim))) claims.push(claim);
  }
}

/** Drops words that were read of three or more entries and match none of them: they are about something else. */
function withoutCommon(claims: readonly Claim[]): readonly Claim[] {
  if (claims.length < COMMON_FROM || claims.every(({ isMet }) => isMet)) return claims;
  const byWords = new Map<string, Claim[]>();
  for (const claim of claims) {
    const known = byWords.get(claim.words);
    if (known) known.push(claim);
    else byWords.set(claim.words, [claim]);
  }
  return claims.filter(({ place: { slot }, words, isMet }) => {
    const alike = isMet ? [] : (byWords.get(words) ?? []).filter(({ place }) => place.slot === slot);
    return alike.length < COMMON_FROM || alike.some((one) => one.isMet);
  });
}

const COMMON_FROM = 3;

/** The same field of another entry of the same name: the words were about that one. */
const isNamesake = (one: Claim, other: Claim): boolean =>
  one.words === other.words && (other.isExplicit === true || one.place.slot === other.place.slot);

/** Of an entry and the value that it has: something else is said to hold. */
function correctionOf(
  step: number,
  place: Event,
  passages: readonly Passage[],
  histories: Histories,
): Claim | undefined {
  const against = passages.filter(({ line }) => line.isAgainst);
  // What an entry is called is said of others that refer to it.
  if (place.after?.joined === place.place.spokenName) return undefined;
  const old = against.length === 0 ? undefined : histories.at(place.key, step - 1);
  if (old === undefined || isBlank(old)) return undefined;
  const line = against.find((passage) => isAgainst(passage.line.text, old))?.line;
  if (line === undefined) return undefined;
  const now = histories.at(place.key, step + LATER);
  return { step, place, words: line.text, isMet: now?.text !== old.text, isExplicit: true };
}

function isAgainst(text: string, { number, value }: Leaf): boolean {
  for (const match of text.matchAll(AGAINST)) {
    const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 80);
    if (number !== undefined ? numbersIn(rest.slice(0, 24))[0] === number : isOld(text, match, value, rest))
      return true;
  }
  return false;
}

/** `(was open)`, and not what was done: `everything was counted`. */
function isOld(text: string, { 0: words, index }: RegExpExecArray, value: string, rest: string): boolean {
  if (value.length <= 2 || !rest.startsWith(value)) return false;
  return !/^was/i.test(words) || !/[\p{L}\p{N}]\s*$/u.test(text.slice(0, index));
}

function ratioOf(leaf: Leaf | undefined, { numbers }: Said): number | undefined {
  const [first] = numbers;
  if (leaf?.number === undefined || first === undefined || leaf.number === 0 || first === 0) return undefined;
  return leaf.number / first;
}

/** `… the largest is A-1 (9). First date: 2025-04-02.`: what a later sentence says of a field may be the least or the most of all. */
function isOfAll(
  said: Said,
  { slot }: Event,
  passages: readonly Passage[],
  { step, histories, kinds }: { readonly step: number; readonly histories: Histories; readonly kinds: Kinds },
): boolean {
  if (!passages.some(({ text }) => SENTENCE.test(text.slice(0, Math.max(0, text.lastIndexOf(said.text))))))
    return false;
  const ordered = kinds
    .places(slot)
    .flatMap(({ key }) => histories.at(key, step) ?? [])
    .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0) || (a.value < b.value ? -1 : 1));
  return [ordered[0], ordered.at(-1)].some((leaf) => leaf !== undefined && said.agreesWith(leaf) === true);
}

/** The end of one, and the beginning of the next. */
const SENTENCE = /[.;]\s+\p{Lu}/u;

/** The different values of a field, where entries have few. */
class Kinds {
  readonly #bySlot = new Map<Label, Set<string>>();
  readonly #of = new Map<Label, number>();
  readonly #places: readonly Event[];

  constructor(places: readonly Event[]) {
    this.#places = places;
    for (const { slot, after } of places) {
      if (after?.kind !== 'string') continue;
      const known = this.#bySlot.get(slot) ?? new Set<string>();
      this.#bySlot.set(slot, known.add(after.joined));
      this.#of.set(slot, (this.#of.get(slot) ?? 0) + 1);
    }
  }

  /** The field in all entries. */
  places(slot: Label): readonly Event[] {
    return this.#places.filter((place) => place.slot === slot);
  }

  of(slot: Label): ReadonlySet<string> | undefined {
    const values = this.#bySlot.get(slot);
    return values !== undefined && values.size > 1 && values.size * 2 <= (this.#of.get(slot) ?? 0) ? values : undefined;
  }
}

/** By how much, and not to what. */
const RELATIVE = /\b(?:by|plus|minus|percent)\b|%/i;

/** Whether these words can be another value of the kind. */
function mayBe(said: Said, leaf: Leaf | undefined, kinds: ReadonlySet<string> | undefined): boolean {
  if (leaf?.number !== undefined) return said.numbers.length > 0 && !RELATIVE.test(said.text);
  if (leaf?.kind !== 'string') return true;
  if (kinds !== undefined && kinds.has(leaf.joined)) {
    const words = ` ${said.joined} `;
    if ([...kinds].some((kind) => kind !== leaf.joined && words.includes(` ${kind} `))) return true;
    return /\d/.test(leaf.value) && said.text.split(/[^\p{L}\p{N}_-]+/u).some((word) => shapeOf(word) === leaf.shape);
  }
  if (!looksLike(said, leaf)) return false;
  return !CODED.test(leaf.value) || CODED.test(said.text);
}

/** What was done, or what somebody wants: `the customer wants it`, where the field has names. */
const looksLike = ({ text }: Said, { value }: Leaf): boolean => !CAPITAL.test(value) || !LOWER.test(text);

/** No word has such a letter. */
const CODED = /[\d_]/;
const CAPITAL = /^[\p{Lu}\d]/u;
const LOWER = /^(?:(?:is|was|be|to|now|has|been)\s+)*\p{Ll}[\p{Ll} ]*[.!]?$/u;

/** The values that it had or came to have while what a step read may be written. */
function writtenFrom(step: number, { key }: Event, histories: Histories): readonly Leaf[] {
  const found: Leaf[] = [];
  for (let at = step; at <= step + LATER; at++) {
    const leaf = histories.at(key, at);
    if (leaf !== undefined && leaf !== found.at(-1)) found.push(leaf);
  }
  return found;
}

/** `undefined` where the values and the words cannot be compared. */
function judged(written: readonly Leaf[], words: readonly Said[]): boolean | undefined {
  let result: boolean | undefined;
  for (const leaf of written) {
    for (const claim of words) {
      const agrees = claim.agreesWith(leaf);
      if (agrees === true) return true;
      if (agrees === false) result = false;
    }
  }
  return result;
}
