/** Secrets that are known by what they look like, wherever they are. */
import { looksRandom } from './names.ts';
import { keyFormats, otherForms, type KeyFormat } from './services.ts';
import { trimmedEnd, type Found } from './spans.ts';

/** No key is longer. */
const MOST = 8_000;
/** A run of characters so long is not looked at again from further inside. */
const LONG_RUN = 40;
const LONG_RUN_WITH_FORM = 200;
const HINT = 4;
/** Lines of a private key at most. */
const LONGEST_BLOCK = 20_000;

const literal = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);

interface Beginning {
  readonly format: KeyFormat;
  readonly begin: string;
  readonly run: RegExp;
}

const beginnings: readonly Beginning[] = keyFormats
  .flatMap((format) => {
    const run = new RegExp(`[${format.signs}]{${format.least},${MOST}}`, 'y');
    return format.begins.split(' ').map((begin) => ({ format, begin: begin.replace('·', ' '), run }));
  })
  .toSorted((a, b) => b.begin.length - a.begin.length);

/** For each beginning its own formats, and those of the shorter ones that it begins with. */
const byBeginning: ReadonlyMap<string, readonly Beginning[]> = new Map(
  beginnings.map(({ begin }) => [begin, beginnings.filter((other) => begin.startsWith(other.begin))]),
);

const BLOCK = '-----BEGIN ';
const PUTTY = 'PuTTY-User-Key-File-';
const BEGINS = new RegExp(String.raw`${BLOCK}|\b(?:${[...byBeginning.keys()].map(literal).join('|')}|${PUTTY})`, 'g');

export function keysIn(text: string, found: Found[]): void {
  const failedUntil = new Map<KeyFormat, number>();
  BEGINS.lastIndex = 0;
  for (let match = BEGINS.exec(text); match !== null; match = BEGINS.exec(text)) {
    const [begin] = match;
    const { index } = match;
    const next = begin === BLOCK || begin === PUTTY ? blockAt(text, index) : keyAt(text, index, begin, failedUntil);
    if (next === undefined) continue;
    found.push(next);
    // After `Bearer ` there may be a key with a beginning of its own.
    BEGINS.lastIndex = next.start === index ? next.end : next.start;
  }
}

function keyAt(text: string, index: number, begun: string, failedUntil: Map<KeyFormat, number>): Found | undefined {
  for (const { format, begin, run } of byBeginning.get(begun) ?? []) {
    const at = index + begin.length;
    if (at < (failedUntil.get(format) ?? 0)) continue;
    run.lastIndex = at;
    if (!run.test(text)) continue;
    const signs = text.slice(at, run.lastIndex);
    const body = trimmedEnd(signs, '.');
    if (isKey(format, body) || (!begin.endsWith(' ') && isLongRun(format, body))) {
      const start = format.open ? at : index;
      return {
        start,
        from: index,
        end: at + body.length,
        name: format.name,
        hint: format.open ? 0 : Math.min(HINT, begin.length),
      };
    }
    if (signs.length > (format.form ? LONG_RUN_WITH_FORM : LONG_RUN)) failedUntil.set(format, at + signs.length);
  }
  return undefined;
}

/** No word after a documented beginning is as long. */
const LONG_WORD = /[A-Za-z\d]{24}/;
const isLongRun = ({ least, form }: KeyFormat, body: string): boolean =>
  body.length >= least && (form === undefined || form.test(body)) && LONG_WORD.test(body);

const isKey = ({ least, form, sure }: KeyFormat, body: string): boolean =>
  body.length >= least && (form === undefined || form.test(body)) && (sure === true || looksRandom(body));

const KEY_LABEL = '[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----';
/** Up to its end, or where the text or its JSON string ends; the lines before the key itself may have hyphens. */
const PRIVATE_KEY = new RegExp(
  `${BLOCK}${KEY_LABEL}(?:[^"-]|-(?!----)){0,${LONGEST_BLOCK}}(?:-----END ${KEY_LABEL})?`,
  'y',
);
const PUTTY_ENDS = /"|Private-MAC: ?[0-9a-f]*/;

function blockAt(text: string, index: number): Found | undefined {
  if (text.startsWith(PUTTY, index)) {
    const block = text.slice(index, index + LONGEST_BLOCK);
    const ends = PUTTY_ENDS.exec(block);
    const length = ends === null ? block.length : ends.index + (ends[0] === '"' ? 0 : ends[0].length);
    return { start: index, from: index, end: index + length, name: 'private key', hint: HINT };
  }
  PRIVATE_KEY.lastIndex = index;
  const match = PRIVATE_KEY.exec(text);
  return match === null
    ? undefined
    : { start: index, from: index, end: index + match[0].length, name: 'private key', hint: HINT };
}

const FORMS = new RegExp(
  String.raw`(?:(?<![\w~.-])|(?<=\bbot))(?:${otherForms.map(({ form }) => `(${form})`).join('|')})(?![\w~])`,
  'g',
);

/** What none of the forms is without; most texts have none of it. */
const MAY_HAVE_FORM = /\d:[\w-]{32}|-us\d|Q~|JQQJ99|\.atlasv1\.|NRAL|_mmk/;

export function formsIn(text: string, found: Found[]): void {
  if (!MAY_HAVE_FORM.test(text)) return;
  for (const { 0: secret, index, ...groups } of text.matchAll(FORMS)) {
    const place = otherForms.findIndex((_, at) => groups[at + 1] !== undefined);
    const name = otherForms[place]?.name ?? 'key';
    found.push({ start: index, from: index, end: index + secret.length, name, hint: 0 });
  }
}
