import { advance, anew, drift, load, ranked, refresh, rounded, tally, total, update, type Domain } from '../acts.ts';
import { Exact } from '../json.ts';
import { choice, code, date, flag, money, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const PLACES = ['LIS', 'OSL', 'VIE', 'KRK', 'MRS', 'GOT', 'TRN'];

const people: Collection = {
  noun: 'traveller',
  path: ['party'],
  label: (nth) =>
    ['Ada L.', 'Grace H.', 'Zoë "Zo" K.', 'Lin', 'Édouard', 'M. Ivers', 'Uma', 'Pat'][nth] ?? `guest ${nth}`,
  count: 5,
  fields: {
    passport: code('P', 7),
    'valid until': date(200, 360),
    seat: choice(['aisle', 'window', 'any']),
    meal: choice(['none', 'vegetarian', 'kosher']),
  },
};

const legs: Collection = {
  noun: 'leg',
  path: ['itinerary', 'legs'],
  id: 'ref',
  label: (nth) => `L${nth + 1}-${PLACES[nth % PLACES.length]}`,
  count: 8,
  fields: {
    from: choice(PLACES),
    to: choice(PLACES),
    departs: date(120, 160),
    carrier: choice(['TAP', 'SK', 'OS', 'LOT', 'AF']),
    'fare.eur': money(60, 900),
    minutes: whole(45, 420),
    lead: refTo(people),
    status: choice(['searching'], { quiet: true }),
    locator: { ...code('', 6), later: true },
  },
};

const stays: Collection = {
  noun: 'stay',
  path: ['itinerary', 'stays'],
  label: (nth) =>
    ["Hôtel d'Été, Lyon", 'Pension "Edelweiß"', 'Casa do Rio', 'Sov Gott', 'U Anděla', 'The Mill', 'Nº 9'][nth] ??
    `stay ${nth}`,
  count: 6,
  fields: {
    nights: whole(1, 6),
    rate: money(55, 320),
    'check-in': date(120, 160),
    breakfast: flag(0.6),
    remark: text(
      ['Quiet room', 'Late arrival', 'Two keys', 'Cot needed'],
      ['asked for', 'confirmed by phone', 'if possible'],
    ),
    held: { ...choice(['no', 'option', 'booked']), quiet: true },
  },
};

export const travel: Domain = {
  name: 'travel',
  set: 'tune',
  goal: 'Plan the trip for all of us and stay within the budget.',
  collections: [legs, stays, people],
  start: (rng) => ({
    trip: { title: 'Spring tour', budget_eur: rng.int(4, 12) * 1_000, max_changes: 2, home: 'OSL', insurance: true },
    party: {},
    itinerary: { legs: [], stays: {} },
    quote: {},
  }),
  constants: [['trip']],
  acts: [
    load(people, 'read the travellers', 4, 5),
    load(legs, 'fetch flights', 5, 4),
    load(stays, 'fetch hotels', 4, 3),
    refresh(legs, 'fare.eur', 'ask for fares again', 2, drift(0.15)),
    refresh(stays, 'rate', 'ask for rates again', 1.5, drift(0.12)),
    advance(legs, 'status', 'book', 3, ['searching', 'held', 'booked', 'ticketed']),
    advance(stays, 'held', 'reserve', 2, ['no', 'option', 'booked']),
    update(legs, { departs: anew(legs, 'departs'), minutes: anew(legs, 'minutes') }, 'rebook', 1.5),
    update(legs, { locator: (_old, rng) => `X${rng.int(10_000, 99_999)}` }, 'get locators', 2),
    update(people, { seat: anew(people, 'seat') }, 'choose seats', 1),
  ],
  sums: [
    {
      name: 'add up the trip',
      run(kit) {
        const fares = total(kit, legs, 'fare.eur');
        const beds = total(kit, stays, 'rate');
        kit.derive(['quote', 'flights'], new Exact(fares.toFixed(2)));
        kit.derive(['quote', 'hotels'], new Exact(beds.toFixed(2)));
        kit.derive(['quote', 'each'], rounded((fares + beds) / Math.max(1, kit.ids(people).length), 2));
        kit.derive(['quote', 'hours in the air'], rounded(total(kit, legs, 'minutes') / 60, 1));
      },
    },
    {
      name: 'draft the itinerary',
      run(kit) {
        kit.derive(['overview', 'dearest'], ranked(kit, legs, 'fare.eur', 2));
        kit.derive(['overview', 'nights'], total(kit, stays, 'nights'));
        kit.derive(['overview', 'bookings'], tally(kit, legs, 'status'));
        kit.derive(
          ['overview', 'blurb'],
          `${kit.ids(legs).length} legs, ${total(kit, stays, 'nights')} nights, ${rounded(total(kit, legs, 'fare.eur'), 0)} EUR in fares.`,
        );
      },
    },
  ],
};
