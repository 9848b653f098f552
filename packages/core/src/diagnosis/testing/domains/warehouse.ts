import {
  advance,
  anew,
  entriesOf,
  load,
  ranked,
  refresh,
  rounded,
  tally,
  total,
  update,
  type Domain,
} from '../acts.ts';
import { at, Exact, num } from '../json.ts';
import { choice, date, digits, name, real, refTo, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const binsOf = (noun: string, site: string, count: number): Collection => ({
  noun,
  path: ['sites', site, 'bins'],
  label: (nth) => `SKU-${String(7 + nth * 11).padStart(4, '0')}`,
  count,
  fields: {
    item: name(['M6', 'Oak', 'LED', 'Ø8'], ['bolt', 'board', 'strip', 'dowel']),
    qty: whole(4, 900),
    min: whole(5, 60),
    unit: choice(['pcs', 'kg', 'm']),
    counted: date(90, 130),
    kg_each: real(0.05, 12, 3),
  },
});
const main = binsOf('bin', 'Köln', 9);
const north = binsOf('north bin', 'Lager 2.Nord', 7);

const prices: Collection = {
  noun: 'price',
  path: ['price list', 'eur'],
  label: (nth) => `SKU-${String(7 + nth * 11).padStart(4, '0')}`,
  count: 10,
  fields: {},
  scalar: digits(0.4, 80, 2),
};

const orders: Collection = {
  noun: 'order',
  path: ['outbound'],
  id: 'orderNo',
  label: (nth) => `A${33_100 + nth * 9}`,
  count: 10,
  fields: {
    sku: refTo(main),
    qty: whole(1, 40),
    ship_by: date(100, 170),
    carrier: choice(['UPS', 'post', 'pickup']),
    state: choice(['new'], { quiet: true }),
    parcel: { ...digits(1, 30, 2), later: true },
  },
};

const moved = (old: unknown, by: number): number => (typeof old === 'number' ? Math.max(0, old + by) : by);

export const warehouse: Domain = {
  name: 'warehouse',
  set: 'tune',
  goal: 'Keep the stock right and get the orders out.',
  collections: [main, north, prices, orders],
  start: (rng) => ({
    sites: { Köln: { bins: {}, open: true }, 'Lager 2.Nord': { bins: {}, open: true } },
    'price list': { valid: '2026', eur: {} },
    outbound: [],
    rules: { reserve_pct: rng.int(5, 20), reorder_days: 14, max_parcel_kg: new Exact('31.50'), fifo: true },
  }),
  constants: [['rules']],
  acts: [
    load(main, 'import bins of Köln', 5),
    load(north, 'import bins of Nord', 4),
    load(prices, 'load prices', 3),
    load(orders, 'fetch orders', 4),
    refresh(main, 'qty', 'count the stock', 1.5, (old, rng) => moved(old, rng.int(-4, 4))),
    refresh(prices, undefined, 'new price list', 1.2, (old, rng) =>
      (num(old) * (1 + (rng.next() - 0.4) * 0.1)).toFixed(2),
    ),
    update(
      main,
      { qty: (old, rng) => moved(old, rng.int(20, 200)), counted: anew(main, 'counted') },
      'receive goods',
      3,
    ),
    update(north, { qty: (old, rng) => moved(old, -rng.int(1, 30)) }, 'pick', 3),
    advance(orders, 'state', 'process', 3, ['new', 'picked', 'packed', 'shipped']),
    update(orders, { parcel: (_old, rng) => (1 + rng.next() * 28).toFixed(2) }, 'weigh parcels', 2),
    refresh(north, 'min', 'set reorder levels', 0.8, (old, rng) => moved(old, rng.int(-2, 3))),
  ],
  sums: [
    {
      name: 'value the stock',
      run(kit) {
        const value = entriesOf(kit, main).reduce(
          (sum, { id, entry }) => sum + num(at(entry, ['qty'])) * num(at(kit.state, ['price list', 'eur', id])),
          0,
        );
        kit.derive(['valuation', 'Köln'], rounded(value, 2));
        kit.derive(['valuation', 'pieces'], total(kit, main, 'qty') + total(kit, north, 'qty'));
        kit.derive(['valuation', 'units'], tally(kit, main, 'unit'));
      },
    },
    {
      name: 'list shortages',
      run(kit) {
        const short = entriesOf(kit, north).filter(({ entry }) => num(at(entry, ['qty'])) < num(at(entry, ['min'])));
        kit.derive(
          ['shortages'],
          short.map(({ id }) => id),
        );
        kit.derive(['fast movers'], ranked(kit, orders, 'qty', 3));
        kit.derive(['shipping'], { states: tally(kit, orders, 'state'), kg: rounded(total(kit, orders, 'parcel'), 2) });
      },
    },
  ],
};
