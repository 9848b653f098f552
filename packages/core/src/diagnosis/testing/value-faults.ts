import { Exact, decimalsOf, isNumber, like, num, type Json } from './json.ts';
import { inBatch, missingWrite, wrongValue, type Fault } from './faults.ts';
import type { Site } from './kit.ts';
import { fieldOf, idsOf } from './world.ts';
import type { Rng } from './rng.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)(T.*)?$|^(\d\d)\.(\d\d)\.(\d{4})$|^(\d\d)\/(\d\d)\/(\d{4})$/;
const isDate = (value: Json): value is string => typeof value === 'string' && DATE.test(value);
const isWord = (value: Json): value is string => typeof value === 'string' && !isDate(value);
const isText = (value: Json): value is string => isWord(value) && value.length > 14 && value.includes(' ');
const isAmount = ({ value }: Site): boolean => isNumber(value) && num(value) !== 0;
/** Something in the run tells what is right: the tool, or the value before. */
const hasTrace = (site: Site): boolean => site.told || (!site.fresh && site.before !== null);

export const VALUE_FAULTS: readonly Fault[] = [
  wrongValue(
    'magnitude',
    'tune',
    ['scale', 'all'],
    isAmount,
    (value, _site, { rng }) =>
      isNumber(value) ? like(value, num(value) * rng.pick([1_000, 1_000, 100, 0.01, 0.001])) : undefined,
    0.08,
  ),
  wrongValue(
    'sign',
    'tune',
    ['sign'],
    isAmount,
    (value) => (isNumber(value) ? like(value, -num(value)) : undefined),
    0.08,
  ),
  wrongValue(
    'zeroed',
    'tune',
    ['zero'],
    (site) => isAmount(site) || (isWord(site.value) && site.value !== ''),
    (value) => (isNumber(value) ? like(value, 0) : ''),
    0.08,
  ),
  wrongValue(
    'type',
    'tune',
    ['text'],
    ({ value }) => isNumber(value) || typeof value === 'boolean',
    (value, _site, { rng }) => otherType(value, rng),
  ),
  wrongValue(
    'truncated',
    'tune',
    ['text'],
    ({ value }) => isText(value),
    (value, _site, { rng }) =>
      typeof value === 'string' ? value.slice(0, Math.floor(value.length * (0.3 + rng.next() * 0.4))) : undefined,
    0.08,
  ),
  wrongValue('category', 'tune', ['word'], (site) => fieldOf(site)?.options !== undefined, otherWord),
  wrongValue(
    'contradicts the answer',
    'tune',
    ['scale'],
    (site) => site.told && !isDate(site.value),
    (value) => transposed(value),
  ),
  wrongValue('date', 'tune', ['word'], ({ value }) => isDate(value), otherDate),
  missingWrite('stale', 'tune', ['hold'], (site, ground) => inBatch(site, ground) && site.before !== null),
  missingWrite('not done', 'tune', ['hold'], (site, ground) => site.told && !site.fresh && !inBatch(site, ground)),
  wrongValue(
    'unit',
    'held-out',
    ['all', 'scale'],
    (site) => isAmount(site) && hasTrace(site),
    (value, _site, { rng }) =>
      isNumber(value)
        ? like(value, num(value) * rng.pick([0.621_371, 2.204_62, 60, 1 / 60, 0.453_592, 3.280_84, 1.8]))
        : undefined,
  ),
  wrongValue(
    'garbled',
    'held-out',
    ['text'],
    ({ value }) => isWord(value) && value.length > 3,
    (value, _site, { rng }) => (typeof value === 'string' ? garbled(value, rng) : undefined),
    0.08,
  ),
  wrongValue(
    'rounding',
    'held-out',
    ['scale'],
    ({ value }) => isNumber(value) && decimalsOf(value) > 0 && Math.abs(num(value)) > 1 && num(value) % 1 !== 0,
    (value) => Math.round(num(value)),
  ),
  wrongValue(
    'reference',
    'held-out',
    ['word'],
    (site) => fieldOf(site)?.refs !== undefined && site.value !== null,
    otherReference,
  ),
  missingWrite('not converted', 'held-out', ['hold'], (site, ground) => inBatch(site, ground) && site.before === null),
];

function otherType(value: Json, rng: Rng): Json {
  if (typeof value === 'boolean') return rng.pick(['True', 'yes', 1]);
  const text = value instanceof Exact ? value.text : String(num(value));
  return rng.pick<Json>([text, text, [value], null, { value }, text.replace('.', ',')]);
}

function otherWord(value: Json, site: Site, { rng }: { rng: Rng }): Json | undefined {
  const options = (fieldOf(site)?.options ?? []).filter((word) => word !== value);
  if (site.told && options.length > 0) return rng.pick(options);
  const word = String(value);
  return rng.pick([
    word.toUpperCase() === word ? word.toLowerCase() : word.toUpperCase(),
    `${word}?`,
    'other',
    'unknown',
  ]);
}

/** Two neighbouring characters change places, both digits or both letters. */
function transposed(value: Json): Json | undefined {
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const text = value instanceof Exact ? value.text : String(value);
  for (let nth = 0; nth + 1 < text.length; nth++) {
    const [a = '', b = ''] = text.slice(nth, nth + 2);
    if (a === b || !/^(\d\d|[a-z]{2})$/.test(a + b) || (nth === 0 && b === '0')) continue;
    const swapped = text.slice(0, nth) + b + a + text.slice(nth + 2);
    if (typeof value === 'string') return swapped;
    return value instanceof Exact ? new Exact(swapped) : Number(swapped);
  }
  return undefined;
}

function otherDate(value: Json, site: Site, { rng }: { rng: Rng }): Json | undefined {
  const parts = typeof value === 'string' ? DATE.exec(value) : null;
  if (!parts) return undefined;
  const [, year, month = '', day = '', time = '', dotDay, dotMonth, dotYear, slashMonth, slashDay, slashYear] = parts;
  const [y = '', m = '', d = ''] = year
    ? [year, month, day]
    : dotYear
      ? [dotYear, dotMonth, dotDay]
      : [slashYear, slashMonth, slashDay];
  const canSwap = Number(d) <= 12 && d !== m && hasTrace(site);
  if (canSwap && rng.chance(0.7)) return year ? `${y}-${d}-${m}${time}` : dotYear ? `${m}.${d}.${y}` : `${d}/${m}/${y}`;
  if (year) return rng.pick([`${d}.${m}.${y}`, `${Number(m)}/${Number(d)}/${y}`, `${y}${m}${d}`]);
  return rng.pick([`${y}-${m}-${d}`, `${y}${m}${d}`, `${Number(d)}.${Number(m)}.${y.slice(2)}`]);
}

function garbled(value: string, rng: Rng): string {
  const half = Math.floor(value.length / 2);
  return rng.pick([
    value.replace(/[aeiou]/g, '\ufffd'),
    `${value.slice(0, half)}Ã¤Ã¶â€™${value.slice(half + 1)}`,
    encodeURIComponent(`${value} `),
    value.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26))),
  ]);
}

function otherReference(
  value: Json,
  site: Site,
  { rng, states }: { rng: Rng; states: readonly { [key: string]: Json }[] },
): Json | undefined {
  const refs = fieldOf(site)?.refs;
  const state = states[site.step];
  if (!refs || !state) return undefined;
  const others = idsOf(state, refs).filter((id) => id !== value);
  if (site.told && others.length > 0 && rng.chance(0.6)) return rng.pick(others);
  return `${String(value)}${rng.pick(['0', '-2', 'x'])}`;
}
