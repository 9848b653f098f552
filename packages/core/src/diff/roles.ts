/** What a change is about: the data of a run, its conversation, or its own bookkeeping. */
import { child, stringIn } from '../chat/fields.ts';
import { messageIn } from '../chat/messages.ts';
import type { JsonNode } from '../json/node.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { leafOf, noiseOf, statusKey } from './noise.ts';
import type { Difference } from './types.ts';

export type ChangeRole = 'data' | 'conversation' | 'bookkeeping';

/** What moves in more than this share of a task's steps tells nothing of one of them. */
const BUSY_SHARE = 0.6;
/** Of a shorter run nobody can say what moves always. */
const BUSY_STEPS = 4;
/** A longer text is no log line and no message of interest. */
const MAX_ENTRY = 20_000;

const INDEX = /\[\d+\]/g;
const ELEMENT = /\[\d+\]$/;
/** Where programs keep how far they are. */
const PROGRESS =
  /^(?:status|state|phase|stage|step|node|next|(?:current|active|last)_?(?:step|phase|stage|node|agent|task))$/i;
const LOGGED_AT = /^(?:ts|time|timestamp|at|logged_?at)$/i;
const LOGGED = /^(?:level|message|msg|event|type|text|log)$/i;
/** Of a list so many elements are looked at for lists within them. */
const MAX_ELEMENTS = 3;

/** The same for all elements of a list. @example patternOf('$.rows[3].price') // '$.rows[].price' */
export const patternOf = (path: string): string => path.replace(INDEX, '[]');

/**
 * Learns from the steps of one task where its messages are and what moves nearly always.
 * @example
 * const roles = new ChangeRoles();
 * for (const { items } of diffs) roles.observe(items);
 * roles.of(item) // 'bookkeeping' for a counter that moves in every step
 */
export class ChangeRoles {
  #steps = 0;
  readonly #moved = new Map<string, number>();
  readonly #talks = new Set<string>();
  readonly #logs = new Set<string>();

  /** @param items what one step changed */
  observe(items: readonly Difference[]): void {
    this.#steps += 1;
    const places = new Set<string>();
    for (const item of items) {
      const place = patternOf(item.path);
      places.add(place);
      if (item.kind === 'added') this.#observeEntry(item, place);
    }
    for (const place of places) this.#moved.set(place, (this.#moved.get(place) ?? 0) + 1);
  }

  /** Where the messages are in a state that is there from the start. */
  observeState(json: string): void {
    this.#observeLists([], json);
  }

  get hasTalk(): boolean {
    return this.#talks.size > 0;
  }

  of(item: Difference): ChangeRole {
    const place = patternOf(item.path);
    if (this.isTalk(place)) return 'conversation';
    if (noiseOf(item) !== undefined || this.#isProgress(item)) return 'bookkeeping';
    for (const list of this.#logs) if (place === list || place.startsWith(`${list}.`)) return 'bookkeeping';
    // An element that came is data, however often one comes; a value that moves in nearly every step is none.
    return !ELEMENT.test(item.path) && this.#isBusy(place) ? 'bookkeeping' : 'data';
  }

  /** Moves in nearly every step, but is neither a counter nor a clock nor how far the run is. */
  isRoutineData(item: Difference): boolean {
    const pattern = patternOf(item.path);
    return (
      this.of(item) === 'bookkeeping' && this.#isBusy(pattern) && noiseOf(item) === undefined && !this.#isProgress(item)
    );
  }

  /** @param place of a value, as `patternOf` gives it */
  isTalk(place: string): boolean {
    if (this.#talks.size === 0) return false;
    for (const list of this.#talks)
      if (place === list || place.startsWith(`${list}.`) || place.startsWith(`${list}[`)) return true;
    return false;
  }

  #isBusy(place: string): boolean {
    const moved = this.#moved.get(place) ?? 0;
    return moved >= BUSY_STEPS && moved > BUSY_SHARE * this.#steps;
  }

  #isProgress(item: Difference): boolean {
    if (PROGRESS.test(leafOf(item.path))) return true;
    return statusKey(item) !== undefined && this.#isBusy(patternOf(item.path));
  }

  #observeEntry({ path, after = '' }: Difference, place: string): void {
    if (this.#talks.has(place) || this.#logs.has(place) || after.length > MAX_ENTRY) return;
    if (!ELEMENT.test(path)) this.#observeLists(parsePath(path), after);
    else if (isMessage(after)) this.#talks.add(place);
    else if (isLogLine(after)) this.#logs.add(place);
  }

  /** Lists of messages that came as a whole: with the first state, or with the first message. */
  #observeLists(path: Path, json: string): void {
    if (!json.startsWith('[') && !json.startsWith('{')) return;
    const todo = [{ node: parseJson(json), at: path }];
    for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
      const { node, at } = one;
      if (node.kind === 'object')
        todo.push(...node.members.map(({ key, value }) => ({ node: value, at: [...at, key] })));
      if (node.kind !== 'array') continue;
      if (node.items.some((item) => saysMessage(json, item))) this.#talks.add(patternOf(formatPath([...at, 0])));
      else todo.push(...node.items.slice(0, MAX_ELEMENTS).map((item, nth) => ({ node: item, at: [...at, nth] })));
    }
  }
}

const isMessage = (json: string): boolean => json.startsWith('{') && saysMessage(json, parseJson(json));

/** opencode keeps role and parts of a message apart. */
function saysMessage(json: string, node: JsonNode): boolean {
  if (messageIn(json, node) !== undefined) return true;
  const info = child(node, 'info');
  return info !== undefined && child(node, 'parts') !== undefined && stringIn(json, info, 'role') !== undefined;
}

/** A line of a log begins with a time, or has one beside its words. */
function isLogLine(json: string): boolean {
  if (json.startsWith('"')) return /^"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(json);
  if (!json.startsWith('{')) return false;
  const node = parseJson(json);
  const has = (name: RegExp): boolean => node.kind === 'object' && node.members.some(({ key }) => name.test(key));
  return has(LOGGED_AT) && has(LOGGED);
}
