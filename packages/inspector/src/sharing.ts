/** What all text passes that leaves the program: one way of masking, with the key and the rules of this installation. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  boundedRules,
  createMasker,
  findSecrets,
  InspectorError,
  PSEUDONYM_DIGITS,
  MASK_DOTS,
  type Masker,
  type MaskRules,
} from '@checkpoint-inspector/core';
import type { Journal } from '@checkpoint-inspector/changes';

export interface Masking {
  /** Counts what it masks: one per answer or file. */
  masker(options?: { readonly reveal?: boolean }): Masker;
  /** As they were written. */
  rules(): MaskRules;
  /** @throws InspectorError invalid_input, which names the line of a pattern that can't be used | read_only */
  change(rules: MaskRules): MaskRules;
  /** In the place of a hash of a state, from which a short secret could be guessed: equal for equal ones, in all runs. */
  revision(stored: string): string;
  /** Of the pseudonyms, as hex: for the page, which masks in the browser. */
  key(): string;
}

const KEY = 'masking_key';
const RULES = 'masking_rules';
const KEY_BYTES = 32;
const MAX_RULES = 100;

interface MaskingDeps {
  /** Without one, key and rules last as long as this. */
  readonly journal?: Pick<Journal, 'setting' | 'setSetting' | 'settingOnce'>;
  readonly readOnly?: boolean;
}

/** @example createMasking({ journal }).masker().text(`key ${token}`) // 'key ghp_••••#7f3' */
export function createMasking({ journal, readOnly = false }: MaskingDeps = {}): Masking {
  let inMemory: MaskRules = {};
  let known: string | undefined;
  const make = (): string => randomBytes(KEY_BYTES).toString('hex');
  const key = (): string => (known ??= keyIn(journal, readOnly, make));
  const rules = (): MaskRules => {
    const text = journal?.setting(RULES);
    return text === undefined ? inMemory : rulesIn(text);
  };
  const keyed = (text: string): string => createHmac('sha256', Buffer.from(key(), 'hex')).update(text).digest('hex');
  const suffix = (secret: string): string => keyed(secret).slice(0, PSEUDONYM_DIGITS);
  return {
    masker: ({ reveal = false } = {}) => createMasker({ suffix, reveal, rules: boundedRules(rules()) }),
    rules,
    // The space keeps it apart from a pseudonym of the same text.
    revision: (stored) => keyed(`revision ${stored}`),
    change(next) {
      if (readOnly) throw new InspectorError('read_only', 'This server was started read-only.');
      boundedRules(next);
      const checked = { hide: lines(next.hide), safe: lines(next.safe) };
      if (journal === undefined) inMemory = checked;
      else journal.setSetting(RULES, JSON.stringify(checked));
      return checked;
    },
    key,
  };
}

/** Where the journal can't be written, reading goes on: then the pseudonyms are those of this process. */
function keyIn(journal: MaskingDeps['journal'], readOnly: boolean, make: () => string): string {
  const known = journal?.setting(KEY);
  if (known !== undefined || journal === undefined || readOnly) return known ?? make();
  try {
    return journal.settingOnce(KEY, make);
  } catch (error) {
    if (InspectorError.is(error)) return make();
    throw error;
  }
}

function rulesIn(text: string): MaskRules {
  const read = JSON.parse(text) as MaskRules;
  return { hide: lines(read.hide), safe: lines(read.safe) };
}

function lines(given: unknown): string[] {
  const all = Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : [];
  const kept = all.filter((one) => one.trim() !== '');
  if (kept.length <= MAX_RULES) return kept;
  throw new InspectorError('invalid_input', `There can be at most ${MAX_RULES} lines, not ${kept.length}.`);
}

/** A hash that tells nothing to who doesn't have the file's key, which is in no file. Equal texts have equal ones. */
export type KeyedHashes = (text: string) => string;

export function keyedHashes(): KeyedHashes {
  const key = randomBytes(KEY_BYTES);
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/** No secret is longer, so that none is cut in two. */
const OVERLAP = 32 * 1024;
const STEP = 256 * 1024;

/** A finished file, searched as whoever gets it would read it, before it is handed over. */
export async function* searchedAgain(pieces: AsyncIterable<string>, masking: Masking): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    rest += piece;
    if (rest.length < STEP + OVERLAP) continue;
    rest = searchedText(rest, masking);
    const end = rest.length - OVERLAP;
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield searchedText(rest, masking);
}

/** @throws InspectorError internal, where a secret is found that can't be taken out */
export function searchedText(text: string, masking: Masking): string {
  let clean = text;
  const rules = boundedRules(masking.rules());
  for (const reading of readings(text)) {
    for (const { start, end, hint } of findSecrets(reading, rules)) {
      const secret = reading.slice(start, end);
      if (secret.includes(MASK_DOTS)) continue;
      if (!text.includes(secret))
        throw new InspectorError('internal', 'A secret was left in the file; it was not made.');
      clean = clean.replaceAll(secret, secret.slice(0, hint) + MASK_DOTS);
    }
  }
  return clean;
}

/** As it is, as HTML, as JSON, and as JSON in a string of JSON. */
function readings(text: string): ReadonlySet<string> {
  const json = unescaped(text);
  return new Set([
    text,
    text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one] ?? one),
    json,
    unescaped(json),
  ]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, sign = '') =>
    code === undefined ? (CONTROLS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
