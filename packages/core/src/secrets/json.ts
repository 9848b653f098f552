/** Secrets in JSON text: by what its strings say, whatever they are spelled with, and by the names of its members. */
import { toEnd, type InSteps } from '../in-steps.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { compiled, findWithPlaces, type MaskRules } from './find.ts';
import { isNeutralName, isSecretValue, secretName, type SecretName } from './names.ts';
import { secretIn } from './named.ts';
import { merged, runOf, spelled, type Escapes, type Found, type SecretSpan, type Spelled } from './spans.ts';

/** Characters between two stops. */
const STEP = 1 << 18;

/**
 * Every secret in a JSON text, which may be cut off or damaged; offsets are in the JSON text. Replacing what is behind
 * the hint by characters without escapes leaves it JSON, but for numbers: they need quotes.
 * @throws InspectorError invalid_input where a rule can't be compiled
 * @example findSecretsInJson('{"pin":4711}') // [{ start: 7, end: 11, name: 'PIN', hint: 0 }]
 */
export const findSecretsInJson = (json: string, rules?: MaskRules): readonly SecretSpan[] =>
  toEnd(secretsInJson(json, rules));

/** The same in a value of a state; its JSON text may be cut off, or the letters of a string. */
export const secretsInValue = (path: string, json: string, rules?: MaskRules): readonly Found[] =>
  toEnd(secretsInJson(json, rules, parsePath(path)));

/** With stops. @param at where the text is in a state: the names on the way count */
export function* secretsInJson(json: string, rules?: MaskRules, at: Path = []): InSteps<readonly Found[]> {
  const walk = new Walk(json, rules, at);
  let rested = 0;
  while (walk.next()) {
    if (walk.at - rested < STEP) continue;
    rested = walk.at;
    yield;
  }
  // In a text that was damaged, strings may be where others have what is between them.
  return merged(walk.damaged ? [...walk.found, ...findWithPlaces(json, rules), ...walk.whole] : walk.found);
}

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x30, 0x39];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const NUMBER = /-?\d[\d.eE+-]*/y;
const BETWEEN = /[\s:]+|true|false|null|NaN|-?Infinity/y;
const JSON_ESCAPE = String.raw`\\(?:u[\da-f]{4}|[^])`;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const JSON_ESCAPES: Escapes = {
  one: new RegExp(JSON_ESCAPE, 'gi'),
  run: runOf(JSON_ESCAPE),
  whole: parsedString,
  read: (run) =>
    // Not all that follows a backslash is an escape of JSON.
    parsedString(run) ??
    run.replaceAll(/\\(?:u([\da-f]{4})|([^]))/gi, (_, unit?: string, letter = '') =>
      unit === undefined ? (CONTROLS[letter] ?? letter) : String.fromCharCode(Number.parseInt(unit, 16)),
    ),
};

/** What JSON.parse would throw at, which takes long for millions of strings. */
const MAY_BE_NO_JSON = /\\(?:[^"\\/bfnrtu]|u(?![\dA-Fa-f]{4})|$)|[^ -\uffff]/;

function parsedString(written: string): string | undefined {
  if (MAY_BE_NO_JSON.test(written)) return undefined;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return undefined;
  }
}

/** A member that holds the name of what its neighbour holds. */
const NAMES_NEIGHBOUR = /^(?:name|key|header|field|variable|env)$/i;
const VALUE_OF_NAME = /^(?:value|val|secretvalue)$/i;
const INHERITED: SecretName = { label: 'secret', holds: 'unspaced' };

class Walk {
  readonly found: Found[] = [];
  /** The whole text as the value of its path, should it be letters and no JSON. */
  readonly whole: readonly Found[];
  damaged = false;
  at = 0;
  readonly #json: string;
  readonly #rules: MaskRules | undefined;
  readonly #safe: ReadonlySet<string>;
  readonly #safePaths: readonly string[];
  /** For each open container what its scalars are, where its name says it. */
  readonly #holds: (SecretName | undefined)[] = [];
  /** Only where paths are asked for: the key or index that each open container is at. */
  readonly #path: (string | number)[] = [];
  #key: string | undefined;
  #neighbour: SecretName | undefined;
  /** How many containers are open where all below is safe. */
  #safeFrom = Number.POSITIVE_INFINITY;

  constructor(json: string, rules: MaskRules | undefined, path: Path) {
    this.#json = json;
    this.#rules = rules;
    const { safe, safePaths } = compiled(rules);
    this.#safe = safe;
    this.#safePaths = safePaths;
    for (const step of path) this.#enter(step);
    const about = this.#isSafe() ? undefined : this.#about();
    const named = about && this.#named(about, json);
    this.whole = named === undefined ? [] : [named];
  }

  /** As if all that is around the value had been read. */
  #enter(step: string | number): void {
    this.#open(typeof step === 'number');
    this.at = 0;
    if (typeof step === 'string') this.#key = step;
    if (this.#path.length > 0) this.#path[this.#path.length - 1] = step;
  }

  /** Goes over one token; false at the end. */
  next(): boolean {
    const { at } = this;
    if (at >= this.#json.length) return false;
    const code = this.#json.charCodeAt(at);
    if (code === QUOTE) this.#string();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_LIST);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#close();
    else if (code === COMMA) this.#comma();
    else if (code === COLON || code === 0x20) this.at++;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) this.#number();
    else this.#between();
    return true;
  }

  #open(isList: boolean): void {
    const about = this.#key === undefined ? undefined : secretName(this.#key);
    const all = about?.all === true && /s$/i.test(this.#key ?? '') ? INHERITED : this.#holds.at(-1);
    if (this.#isSafe()) this.#safeFrom = Math.min(this.#safeFrom, this.#holds.length);
    this.#holds.push(all);
    if (this.#safePaths.length > 0) this.#path.push(isList ? 0 : '');
    this.#key = undefined;
    this.#neighbour = undefined;
    this.at++;
  }

  #close(): void {
    this.#holds.pop();
    this.#path.pop();
    if (this.#holds.length <= this.#safeFrom) this.#safeFrom = Number.POSITIVE_INFINITY;
    this.#key = undefined;
    this.#neighbour = undefined;
    this.at++;
  }

  #comma(): void {
    this.#key = undefined;
    const step = this.#path.at(-1);
    if (typeof step === 'number') this.#path[this.#path.length - 1] = step + 1;
    this.at++;
  }

  #isSafe(): boolean {
    if (this.#safeFrom < this.#holds.length) return true;
    if (this.#safe.size > 0 && this.#key !== undefined && this.#safe.has(this.#key.toLowerCase())) return true;
    if (this.#safePaths.length === 0) return false;
    const path = formatPath(this.#path);
    const anyOf = path.replaceAll(/\[\d+\]/g, '[*]');
    return this.#safePaths.some((safe) => safe === path || safe === anyOf);
  }

  #number(): void {
    NUMBER.lastIndex = this.at;
    const [number = '-'] = NUMBER.exec(this.#json) ?? [];
    const about = this.#about();
    const { at } = this;
    this.at += number.length;
    if (about === undefined || number.length < 3 || this.#isSafe()) return;
    if (about.holds === 'any' || about.holds === 'unspaced' || isSecretValue(about, number))
      this.found.push({ start: at, from: at, end: this.at, name: about.label, hint: 0, bare: true });
  }

  /** What the scalar here is, by its name or that of the container. */
  #about(): SecretName | undefined {
    const key = this.#key;
    const all = this.#holds.at(-1);
    if (key === undefined) return all;
    if (VALUE_OF_NAME.test(key) && this.#neighbour !== undefined) return this.#neighbour;
    const about = secretName(key);
    return all === undefined || isNeutralName(key) || (about !== undefined && about.holds !== 'random') ? about : all;
  }

  #string(): void {
    const json = this.#json;
    const start = this.at + 1;
    const end = endOfString(json, start);
    this.at = Math.min(json.length, end + 1);
    const written = json.slice(start, end);
    const read = written.includes('\\') ? spelled(written, JSON_ESCAPES) : undefined;
    const text = read?.text ?? written;
    if (this.#isName()) {
      this.#key = text;
      if (typeof this.#path.at(-1) === 'string') this.#path[this.#path.length - 1] = text;
      if (!this.#isSafe()) this.#keep(findWithPlaces(text, this.#rules), start, read);
      return;
    }
    if (this.#isSafe()) return;
    const about = this.#about();
    const named = about === undefined ? undefined : this.#named(about, text);
    const found = findWithPlaces(text, this.#rules);
    this.#keep(named === undefined ? found : merged([...found, named]), start, read);
    this.#note(text);
  }

  #named(about: SecretName, text: string): Found | undefined {
    if (about === INHERITED && secretName(text) !== undefined) return undefined;
    if (this.#key !== undefined && text.toLowerCase() === this.#key.toLowerCase()) return undefined;
    const secret = secretIn(about, text, 0);
    return secret && { start: secret.start, end: secret.end, from: 0, name: about.label, hint: 0 };
  }

  /** A member may name what its neighbour holds: `{"name":"DB_PASSWORD","value":…}`. */
  #note(text: string): void {
    const key = this.#key;
    if (key !== undefined && NAMES_NEIGHBOUR.test(key)) this.#neighbour = secretName(text);
  }

  #isName(): boolean {
    let { at } = this;
    while (at < this.#json.length && this.#json.charCodeAt(at) <= 0x20) at++;
    return this.#json.charCodeAt(at) === COLON;
  }

  #keep(found: readonly Found[], start: number, read: Spelled | undefined): void {
    for (const one of found) {
      const { start: begins, end, from, name, hint, said } = read === undefined ? one : read.back(one);
      const kept = { start: start + begins, end: start + end, from: start + from, name, hint };
      this.found.push(said === undefined ? kept : { ...kept, said });
    }
  }

  #between(): void {
    BETWEEN.lastIndex = this.at;
    const [passed] = BETWEEN.exec(this.#json) ?? [];
    this.at += passed?.length ?? 1;
    if (passed !== undefined) return;
    // A plain text has no strings to look for.
    if (!this.damaged && !this.#json.includes('"', this.at)) this.at = this.#json.length;
    this.damaged = true;
  }
}

/** Where the closing quote is, or the end of a text that is cut off. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (before > start && json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return json.length;
}
