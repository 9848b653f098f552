import { Exact, type Json } from './json.ts';
import type { Rng } from './rng.ts';
import type { Collection, DateStyle, Field } from './world.ts';

type More = Pick<Field, 'later' | 'quiet'>;

/** Spread over the orders of magnitude between two amounts. */
function spread(rng: Rng, low: number, high: number): number {
  return low * (high / low) ** rng.next();
}

export const money = (low: number, high: number, more: More = {}): Field => ({
  make: (rng) => new Exact(spread(rng, low, high).toFixed(2)),
  ...more,
});

export const real = (low: number, high: number, decimals: number, more: More = {}): Field => ({
  make: (rng) => new Exact((low + rng.next() * (high - low)).toFixed(decimals)),
  ...more,
});

export const whole = (low: number, high: number, more: More = {}): Field => ({
  make: (rng) => Math.round(low < 1 ? low + rng.next() * (high - low) : spread(rng, low, high)),
  ...more,
});

/** A number that is kept as text. */
export const digits = (low: number, high: number, decimals: number, more: More = {}): Field => ({
  make: (rng) => spread(rng, low, high).toFixed(decimals),
  ...more,
});

export const fixed = (value: Json, more: More = {}): Field => ({ make: () => value, ...more });

/** The first options are the frequent ones. */
export const choice = (options: readonly string[], more: More = {}): Field => ({
  make: (rng) => rng.pick(options.slice(0, 1 + Math.floor(options.length * rng.next() ** 0.6))),
  options,
  ...more,
});

export const flag = (probability: number, more: More = {}): Field => ({
  make: (rng) => rng.chance(probability),
  ...more,
});

export const refTo = (refs: Collection, more: More = {}): Field => ({
  make: (rng, _nth, kin) => {
    const ids = kin.ids(refs);
    return ids.length === 0 ? null : rng.pick(ids);
  },
  refs,
  ...more,
});

export const text = (subjects: readonly string[], rests: readonly string[], more: More = {}): Field => ({
  make: (rng) => sentences(rng, subjects, rests, rng.int(1, 3)),
  ...more,
});

export const name = (firsts: readonly string[], lasts: readonly string[], more: More = {}): Field => ({
  make: (rng) => `${rng.pick(firsts)} ${rng.pick(lasts)}`,
  ...more,
});

export const code = (prefix: string, length: number, more: More = {}): Field => ({
  make: (rng) => prefix + Array.from({ length }, () => rng.pick([...'0123456789ABCDEF'])).join(''),
  ...more,
});

export const date = (from: number, to: number, more: More = {}): Field => ({
  make: (rng, _nth, kin) => dateText(rng.int(from, to), kin.dates, rng.int(0, 86_399)),
  ...more,
});

/** A day of the year 2026, counted from its first. */
export function dateText(day: number, style: DateStyle, second = 0): string {
  const time = new Date(Date.UTC(2026, 0, 1 + day, 0, 0, second)).toISOString();
  const [year = '', month = '', dayText = ''] = time.slice(0, 10).split('-');
  if (style === 'time') return time;
  if (style === 'dots') return `${dayText}.${month}.${year}`;
  return style === 'slashes' ? `${month}/${dayText}/${year}` : time.slice(0, 10);
}

function sentences(rng: Rng, subjects: readonly string[], rests: readonly string[], count: number): string {
  return Array.from({ length: count }, () => `${rng.pick(subjects)} ${rng.pick(rests)}.`).join(' ');
}
