import { advance, entriesOf, load, ranked, refresh, rounded, tally, total, update, type Domain } from '../acts.ts';
import { at, Exact, num } from '../json.ts';
import { choice, code, date, digits, flag, name, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const customers: Collection = {
  noun: 'customer',
  path: ['tables', 'customers', 'rows'],
  id: 'cust_id',
  label: (nth) => `K${1_000 + nth * 7}`,
  count: 12,
  fields: {
    'full name': name(
      ['Ana', 'Björn', 'Chloé', 'Dmitri', 'Elif', 'Fatou'],
      ["O'Neill", 'García', 'Weiß', 'Nguyễn', 'Smith'],
    ),
    born: date(0, 300),
    mail: code('c', 6),
    'balance.raw': digits(10, 20_000, 2),
    active: flag(0.8),
    note: text(['Called', 'Wrote', 'Asked for a refund', 'Moved'], ['in spring', 'twice', 'after the letter']),
    balance: { make: () => new Exact('0.00'), later: true, quiet: true },
  },
};

const orders: Collection = {
  noun: 'order',
  path: ['tables', 'orders', 'rows'],
  id: 'order#',
  label: (nth) => `${5_500 + nth}/26`,
  count: 14,
  fields: {
    customer: refTo(customers),
    placed: date(20, 150),
    'weight g': whole(120, 30_000),
    status: choice(['open', 'shipped', 'returned', 'lost']),
    weight_kg: { make: () => 0, later: true, quiet: true },
    label: { ...code('DHL', 8), later: true },
  },
};

const mapping: Collection = {
  noun: 'mapping',
  path: ['mapping'],
  label: (nth) => ['full name', 'born', 'mail', 'balance.raw', 'order#', 'weight g', 'placed', ''][nth] ?? `col ${nth}`,
  count: 6,
  fields: {},
  scalar: choice(['text', 'decimal', 'date', 'integer', 'id']),
};

export const conversion: Domain = {
  name: 'conversion',
  set: 'tune',
  goal: 'Convert the old export to the new tables. Nothing may get lost.',
  collections: [customers, orders, mapping],
  start: (rng) => ({
    source: { file: 'export "final".csv', encoding: 'utf-8', delimiter: ';', rows: rng.int(900, 4_000), strict: true },
    mapping: {},
    tables: { customers: { rows: [] }, orders: { rows: [] } },
    profile: {},
  }),
  constants: [['source']],
  acts: [
    load(mapping, 'open the mapping', 2, 6),
    load(customers, 'read customers', 5),
    load(orders, 'read orders', 5),
    refresh(
      customers,
      'balance',
      'convert balances',
      2,
      (_old, _rng, entry) => new Exact(num(at(entry, ['balance.raw'])).toFixed(2)),
    ),
    refresh(orders, 'weight_kg', 'convert weights', 2, (_old, _rng, entry) =>
      rounded(num(at(entry, ['weight g'])) / 1_000, 3),
    ),
    update(orders, { label: (_old, rng) => `DHL${rng.int(10_000_000, 99_999_999)}` }, 'attach labels', 2),
    advance(orders, 'status', 'follow shipments', 2, ['open', 'shipped', 'returned']),
    refresh(customers, 'active', 'check activity', 1, (old, rng) => (rng.chance(0.1) ? old !== true : (old ?? null))),
    update(customers, { mail: (_old, rng) => `c${rng.int(100_000, 999_999)}` }, 'repair addresses', 1.5),
  ],
  sums: [
    {
      name: 'profile the tables',
      run(kit) {
        const { length } = kit.ids(customers);
        const sum = total(kit, customers, 'balance');
        kit.derive(['profile', 'customers'], {
          n: length,
          sum: rounded(sum, 2),
          mean: rounded(sum / Math.max(1, length), 2),
        });
        kit.derive(['profile', 'orders'], {
          n: kit.ids(orders).length,
          kg: rounded(total(kit, orders, 'weight_kg'), 2),
        });
        kit.derive(['profile', 'order status'], tally(kit, orders, 'status'));
      },
    },
    {
      name: 'write the manifest',
      run(kit) {
        const names = entriesOf(kit, customers).map(({ entry }) => String(at(entry, ['full name'])).length);
        kit.derive(
          ['manifest', 'name chars'],
          names.reduce((sum, one) => sum + one, 0),
        );
        kit.derive(['manifest', 'top accounts'], ranked(kit, customers, 'balance', 4));
        kit.derive(['manifest', 'columns'], Object.values(tally(kit, mapping, 'x')).length + kit.ids(mapping).length);
      },
    },
  ],
};
