/** What a change is about: the data of a run, its conversation, or its own bookkeeping. */
import { child, stringIn } from '../chat/fields.ts';
import { compact } from '../compact.ts';
import { messageIn } from '../chat/messages.ts';
import type { JsonNode } from '../json/node.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { noiseOf, statusKey } from './noise.ts';
import type { Difference } from './types.ts';

export type ChangeRole = 'data' | 'conversation' | 'bookkeeping';

/** What moves in more than half of a task's steps tells nothing of one of them. */
const BUSY_SHARE = 0.5;
/** Of a shorter run nobody can say what moves always. */
const BUSY_STEPS = 4;
/** What moves no more often than this is no counter. */
const SELDOM_STEPS = 2;
const SELDOM_SHARE = 0.2;
/** A longer text is no log line and no message of interest. */
const MAX_ENTRY = 20_000;

const INDEX = /\[\d+\]/g;
const ELEMENT = /\[\d+\]$/;
/** At the top of a state, where programs keep how far they are: further down a status may be what the run is about. */
const PROGRESS =
  /^\$\.(?:status|state|phase|stage|step|node|next|(?:current|active|last)_?(?:step|phase|stage|node|agent|task))$/i;
/** One value that moves again and again, unlike a field that is filled in entry after entry. */
const AGAIN = 3;
/** A task with more of them changes nothing always. */
const MAX_PLACES = 20_000;
/** Of one place so many paths are told apart. */
const MAX_PATHS = 500;
const LOGGED_AT = /^(?:ts|time|timestamp|at|logged_?at|(?:start|end)_?time)$/i;
const LOGGED = /^(?:level|message|msg|event|type|text|log)$/i;
const TOOL = /^(?:tool|tool_?name|function)$/i;
const CALLED = /^(?:args|arguments|input|params|result|output)$/i;
/** Of a list so many elements are looked at for lists within them. */
const MAX_ELEMENTS = 3;

/** The same for all elements of a list. @example patternOf('$.rows[3].price') // '$.rows[].price' */
export const patternOf = (path: string): string => path.replace(INDEX, '[]');

/** How often the values of a place moved. */
interface Moves {
  steps: number;
  values: number;
  readonly paths: Set<string>;
}

/**
 * Learns from the steps of one task where its messages are and what moves nearly always.
 * @example
 * const roles = new ChangeRoles();
 * for (const { items } of diffs) roles.observe(items);
 * roles.of(item) // 'bookkeeping' for a counter that moves in every step
 */
export class ChangeRoles {
  #steps = 0;
  readonly #moved = new Map<string, Moves>();
  /** Where counters and clocks are: a way back turns them. */
  readonly #noisy = new Set<string>();
  readonly #talks = new Set<string>();
  readonly #logs = new Set<string>();
  /** Lists of plain texts, or of what has a time. */
  readonly #lines = new Set<string>();

  /** @param items what one step changed */
  observe(items: readonly Difference[]): void {
    this.#steps += 1;
    const places = new Set<Moves>();
    for (const item of items) {
      const place = patternOf(item.path);
      this.#count(place, item.path, places);
      const status = statusKey(item);
      if (status !== undefined) this.#count(status, status, places);
      if (item.kind === 'removed' && ELEMENT.test(item.path)) this.#count(`−${place}`, item.path, places);
      if (noiseOf(item) !== undefined) this.#noisy.add(place);
      if (item.kind === 'added') this.#observeEntry(item, place);
    }
    for (const moves of places) moves.steps += 1;
  }

  /** How many steps were observed. */
  get steps(): number {
    return this.#steps;
  }

  /** Each with its role, for whoever ranks them without knowing the task. */
  marked(items: readonly Difference[]): readonly Difference[] {
    return items.map((item) => {
      const role = this.rankOf(item);
      return role === 'data' && noiseOf(item) === undefined ? item : { ...item, role };
    });
  }

  /** Whether it moves in nearly every step, or is a log's. */
  isRoutine(item: Difference): boolean {
    const place = patternOf(item.path);
    return this.#isBusy(place) || this.#isLogged(place);
  }

  /** As `of`, with the lines of a list that always grows, and what is taken off a queue, told apart. */
  rankOf(item: Difference): ChangeRole | 'growth' {
    const role = this.of(item);
    if (role !== 'data' || !isElement(item)) return role;
    const place = patternOf(item.path);
    if (item.kind === 'removed' && (this.#moved.get(`−${place}`)?.steps ?? 0) > 1) return 'growth';
    return this.#lines.has(place) && this.#isBusy(place) ? 'growth' : role;
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
    if (this.#isNoise(item, place) || this.#isProgress(item)) return 'bookkeeping';
    if (this.#isLogged(place)) return 'bookkeeping';
    // An element that came is data, however often one comes; a value that moves in nearly every step is none.
    return !isElement(item) && this.#movesAgain(place) ? 'bookkeeping' : 'data';
  }

  /** Moves in nearly every step, but is neither a counter nor a clock nor how far the run is. */
  isRoutineData(item: Difference): boolean {
    const pattern = patternOf(item.path);
    return (
      this.of(item) === 'bookkeeping' &&
      this.#isBusy(pattern) &&
      !this.#isLogged(pattern) &&
      noiseOf(item) === undefined &&
      !this.#isProgress(item)
    );
  }

  /** @param place of a value, as `patternOf` gives it */
  isTalk(place: string): boolean {
    for (const list of this.#talks)
      if (list === `${place}[]` || place === list || place.startsWith(`${list}.`) || place.startsWith(`${list}[`))
        return true;
    return false;
  }

  #isLogged(place: string): boolean {
    for (const list of this.#logs) if (place === list || place.startsWith(`${list}.`)) return true;
    return false;
  }

  #count(place: string, path: string, places: Set<Moves>): void {
    const moves = this.#moved.get(place) ?? { steps: 0, values: 0, paths: new Set() };
    if (moves.values === 0 && this.#moved.size >= MAX_PLACES) return;
    this.#moved.set(place, moves);
    moves.values += 1;
    if (moves.paths.size < MAX_PATHS) moves.paths.add(path);
    places.add(moves);
  }

  #isBusy(place: string): boolean {
    const { steps = 0 } = this.#moved.get(place) ?? {};
    return steps >= BUSY_STEPS && steps > BUSY_SHARE * this.#steps;
  }

  #movesAgain(place: string): boolean {
    const { values = 0, paths } = this.#moved.get(place) ?? {};
    return this.#isBusy(place) && values >= AGAIN * (paths?.size ?? 1);
  }

  /** A number that went up by one in one step of many was written, not counted. */
  #isNoise(item: Difference, place: string): boolean {
    const noise = noiseOf(item) ?? (this.#noisy.has(place) ? noiseOf(back(item)) : undefined);
    if (noise !== 'counter' || this.#steps < BUSY_STEPS) return noise !== undefined;
    const { steps = 0 } = this.#moved.get(place) ?? {};
    return steps > SELDOM_STEPS || steps > SELDOM_SHARE * this.#steps;
  }

  #isProgress(item: Difference): boolean {
    if (PROGRESS.test(item.path)) return true;
    const status = statusKey(item);
    return status !== undefined && this.#isBusy(status);
  }

  #observeEntry({ path, after = '' }: Difference, place: string): void {
    if (this.#talks.has(place) || this.#logs.has(place) || after.length > MAX_ENTRY) return;
    if (!ELEMENT.test(path)) this.#observeLists(parsePath(path), after);
    else if (isMessage(after)) this.#talks.add(place);
    else if (isLogLine(after)) this.#logs.add(place);
    else if (isPlainOrTimed(after)) this.#lines.add(place);
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

/** The same change the other way round. */
const back = ({ path, kind, before, after }: Difference): Difference => ({
  path,
  kind,
  ...compact({ before: after, after: before }),
});

/** It came, went or moved within a list. */
const isElement = ({ kind, path }: Difference): boolean =>
  (kind === 'added' || kind === 'removed' || kind === 'moved') && ELEMENT.test(path);

/** Of a person, a model or a tool, or a call with what came back. */
const isMessage = (json: string): boolean =>
  json.startsWith('{') && (saysMessage(json, parseJson(json)) || (has(json, TOOL) && has(json, CALLED)));

/** opencode keeps role and parts of a message apart. */
function saysMessage(json: string, node: JsonNode): boolean {
  if (messageIn(json, node) !== undefined) return true;
  const info = child(node, 'info');
  return info !== undefined && child(node, 'parts') !== undefined && stringIn(json, info, 'role') !== undefined;
}

/** A line of a log begins with a time, or has one beside its words. */
const isLogLine = (json: string): boolean =>
  json.startsWith('"')
    ? /^"\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d/.test(json)
    : has(json, LOGGED_AT) && has(json, LOGGED);

const isPlainOrTimed = (json: string): boolean => !json.startsWith('{') || has(json, LOGGED_AT);

function has(json: string, name: RegExp): boolean {
  if (!json.startsWith('{')) return false;
  const node = parseJson(json);
  return node.kind === 'object' && node.members.some(({ key }) => name.test(key));
}
