import { advance, anew, drift, load, ranked, refresh, rounded, tally, total, update, type Domain } from '../acts.ts';
import { at, Exact, num } from '../json.ts';
import { choice, code, date, digits, money, name, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const suppliers: Collection = {
  noun: 'supplier',
  path: ['suppliers'],
  label: (nth) => `S-${String(nth + 11).padStart(3, '0')}`,
  count: 6,
  fields: {
    name: name(['Nordlicht', 'Cafe', 'Brandt &', 'Delta', 'Ōtani', 'Pérez'], ['GmbH', 'Oy', 'Sons', 'Ltd.', 'SA']),
    iban: code('DE', 14),
    terms: whole(14, 60),
  },
};

const invoices: Collection = {
  noun: 'invoice',
  path: ['books', 'invoices'],
  id: 'no',
  label: (nth) => `INV-${2040 + nth * 3}`,
  count: 14,
  fields: {
    supplier: refTo(suppliers),
    net: money(90, 8_000),
    currency: choice(['EUR', 'EUR', 'USD', 'CHF']),
    due: date(60, 200),
    account: choice(['4400', '4930', '6815', '4210']),
    memo: text(['Delivery', 'Maintenance', 'Licences', 'Paper and toner'], ['for March', 'as agreed', 'see order']),
    state: choice(['received'], { quiet: true }),
    net_eur: { ...money(1, 2), later: true, quiet: true },
    paid: { ...money(1, 2), later: true },
  },
};

const rates: Collection = {
  noun: 'rate',
  path: ['fx'],
  label: (nth) => ['USD', 'CHF', 'GBP', 'SEK', 'JPY', 'PLN', 'CZK'][nth] ?? `X${nth}`,
  count: 5,
  fields: {},
  scalar: digits(0.8, 12, 4),
};

export const ledger: Domain = {
  name: 'ledger',
  set: 'tune',
  goal: 'Book the invoices of the quarter and send me the totals.',
  collections: [invoices, suppliers, rates],
  start: (rng) => ({
    books: { year: 2026, quarter: `Q${rng.int(1, 4)}`, invoices: [] },
    suppliers: {},
    fx: {},
    settings: { vat_rate: new Exact('0.19'), base_currency: 'EUR', approval_limit: 5_000, rounding: 'half-even' },
    close: {},
  }),
  constants: [['settings'], ['books']],
  acts: [
    load(suppliers, 'load suppliers', 3, 5),
    load(invoices, 'import invoices', 6),
    load(rates, 'fetch exchange rates', 2, 6),
    refresh(rates, undefined, 'refresh exchange rates', 1, (old, rng) =>
      String((num(old) * (1 + (rng.next() - 0.5) * 0.02)).toFixed(4)),
    ),
    refresh(invoices, 'net_eur', 'convert to base currency', 2, (_old, _rng, entry, kit) => {
      const currency = String(at(entry, ['currency']));
      const rate = currency === 'EUR' ? 1 : num(at(kit.state, ['fx', currency])) || 1;
      return new Exact((num(at(entry, ['net'])) / rate).toFixed(2));
    }),
    advance(invoices, 'state', 'approve', 3, ['received', 'checked', 'approved', 'posted']),
    update(invoices, { account: anew(invoices, 'account') }, 'reclassify', 1),
    update(
      invoices,
      { paid: (_old, _rng, entry) => at(entry, ['net']), state: () => 'paid' },
      'match bank lines',
      2,
      (entry) => at(entry, ['state']) === 'posted',
    ),
    refresh(suppliers, 'terms', 'renew payment terms', 0.5, drift(0.2)),
  ],
  sums: [
    {
      name: 'total the books',
      run(kit) {
        const net = total(kit, invoices, 'net');
        kit.derive(['close', 'net_total'], rounded(net, 2));
        kit.derive(['close', 'vat_total'], rounded(net * num(at(kit.state, ['settings', 'vat_rate'])), 2));
        kit.derive(['close', 'eur_total'], rounded(total(kit, invoices, 'net_eur'), 2));
        kit.derive(['close', 'per account'], tally(kit, invoices, 'account'));
      },
    },
    {
      name: 'write the close report',
      run(kit) {
        const open = rounded(total(kit, invoices, 'net') - total(kit, invoices, 'paid'), 2);
        kit.derive(['report', 'open_items'], open);
        kit.derive(['report', 'largest'], ranked(kit, invoices, 'net', 3));
        kit.derive(['report', 'by_state'], tally(kit, invoices, 'state'));
        kit.derive(['report', 'text'], `Open: ${open} EUR over ${kit.ids(invoices).length} invoices.`);
      },
    },
  ],
};
