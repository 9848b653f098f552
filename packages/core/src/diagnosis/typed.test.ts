import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { readTree } from './read.ts';
import { rowsBetween } from './compare.ts';
import { Place } from './place.ts';
import { Survey } from './places.ts';
import { childOf, leafOf } from './tree.ts';
import { formatPath } from '../json/path.ts';

/** As serializers of other languages write what JSON has no type for. */
const VALUES: readonly (readonly [text: string, value: string])[] = [
  ['{"$type":"datetime.datetime","value":"2026-11-21T12:00:00+00:00"}', '2026-11-21T12:00:00+00:00'],
  ['{"$type":"datetime.date","value":[2026,11,21]}', '[2026,11,21]'],
  [
    '{"$type":"datetime.time","hour":23,"minute":59,"tzinfo":null,"fold":0}',
    '"hour":23,"minute":59,"tzinfo":null,"fold":0',
  ],
  ['{"$type":"datetime.timedelta","value":[1,5,7]}', '[1,5,7]'],
  [
    '{"$type":"datetime.timezone","value":[{"$type":"datetime.timedelta","value":[0,7200,0]},"X"]}',
    '[{"$type":"datetime.timedelta","value":[0,7200,0]},"X"]',
  ],
  ['{"$type":"uuid.UUID","value":"12345678123456781234567812345678"}', '12345678123456781234567812345678'],
  ['{"$type":"decimal.Decimal","value":"3.1400"}', '3.1400'],
  ['{"$type":"app.Colour","value":3}', '3'],
];

it.each(VALUES)('takes %s for one value', (text, value) => {
  const leaf = leafOf(readTree(text));
  expect(leaf).toMatchObject({ text, value });
});

it('reads the amount of a decimal', () => {
  expect(leafOf(readTree('{"$type":"decimal.Decimal","value":"3.1400"}'))?.number).toBe(3.14);
});

it.each([
  '{"$type":"builtins.set","value":["a",1]}',
  '{"$type":"app.Point","x":1,"y":2}',
  '{"$type":"datetime.date","value":[1,2,3,4,5,6,7,8,9]}',
  '{"$type":"datetime.time","parts":{"hour":1}}',
  '{"$type":7,"value":1}',
  '{"$type":"datetime.date"}',
  '{"value":1,"$type":"app.Colour"}',
])('leaves %s an object with fields', (text) => {
  expect(leafOf(readTree(text))).toBeUndefined();
});

it('knows a time with a zone inside it', () => {
  const offset = '{"$type":"datetime.timedelta","value":[0,7200,0]}';
  const zone = `{"$type":"datetime.timezone","value":[${offset}]}`;
  expect(leafOf(readTree(`{"$type":"datetime.time","hour":1,"tzinfo":${zone}}`))?.kind).toBe('string');
});

it('looks at a few levels only', () => {
  const deep = '{"$type":"app.Date","value":'.repeat(20_000) + '1' + '}'.repeat(20_000);
  expect(leafOf(readTree(deep))).toBeUndefined();
});

const pathsOf = (before: string, after: string): string[] => {
  const top = new Place();
  const old = new Survey(readTree(before), top);
  const now = new Survey(readTree(after, old.root), top);
  return rowsBetween(old, now, top).map(({ kind, place }) => `${kind} ${formatPath(place.path)}`);
};

it('has one row for such a value, none for another spelling of it, and rows for the fields of other objects', () => {
  const date = (day: number): string => `{"on":{"$type":"datetime.date","value":[2026,11,${day}]}}`;
  expect(pathsOf(date(1), date(2))).toEqual(['changed $.on']);
  expect(pathsOf(date(1), date(1).replaceAll(':', ' : '))).toEqual([]);
  const point = (x: number): string => `{"at":{"$type":"app.Point","x":${x},"y":1}}`;
  expect(pathsOf(point(1), point(2))).toEqual(['changed $.at.x']);
});

it('takes two times beside each other for fields, and not for a map of entries', () => {
  const text = '{"run":{"from":{"$type":"app.Time","value":"a b"},"to":{"$type":"app.Time","value":"c d"}}}';
  const run = childOf(readTree(text), 'run');
  expect(run?.kind === 'object' && run.isMap).toBe(false);
});

it('blames the amount as a whole, with what is known of amounts', () => {
  const amount = (value: string): object => ({ $type: 'decimal.Decimal', value });
  const prices = ['12.50', '11.75', '13.20', '12.10', '12.90'];
  const states = [0, 1, 2, 3].map((step) => ({
    step,
    rows: prices.map((price, at) => ({ id: `row-${at}`, price: amount(step >= 2 && at === 3 ? '12100.00' : price) })),
  }));
  const [first] = suspectsOf(
    states.map((state, at) => ({
      ref: { task: 'run', id: String(at) },
      seq: at + 1,
      status: at === 3 ? 'failed' : 'completed',
      text: JSON.stringify(state),
    })),
  );
  expect(first).toMatchObject({
    path: '$.rows[3].price',
    seq: 3,
    before: JSON.stringify(amount('12.10')),
    after: JSON.stringify(amount('12100.00')),
  });
  expect(first?.reasons).toContain('1,000 times larger than before.');
});
