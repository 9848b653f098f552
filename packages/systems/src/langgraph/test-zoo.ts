/** For tests: values of every kind, against what LangGraph showed of them; what differs is listed with its reason. */
import { isDeepStrictEqual } from 'node:util';
import { fromJsonText, memberOf, parseJson, sourceOf, type CheckpointSource } from '@checkpoint-inspector/core';
import { expect, test } from 'vitest';

/** What is shown instead of what LangGraph answered, as JSON text, and why. */
export type Differences = Readonly<Record<string, readonly [text: string, why: string]>>;

/** Members of an object of a JSON text, each as it is written there. */
export function membersIn(text: string, name: string): ReadonlyMap<string, string> {
  const root = parseJson(text);
  const zoo = root.kind === 'object' ? memberOf(root, name)?.value : undefined;
  if (zoo?.kind !== 'object') throw new Error(`The state has an object "${name}".`);
  return new Map(zoo.members.map(({ key, value }) => [key, sourceOf(text, value)]));
}

/** Every value is shown as LangGraph showed it, or is one of the differences; none of these is listed without need. */
export function testZoo(
  open: () => CheckpointSource,
  id: string,
  known: Readonly<Record<string, unknown>>,
  differences: Differences,
): void {
  test('value-zoo: every value is what LangGraph showed, or differs for a known reason', async () => {
    const state = await open().state({ task: 'value-zoo', id });
    const shown = membersIn(state?.text ?? '', 'zoo');
    expect([...shown.keys()].toSorted()).toEqual(
      [...new Set([...Object.keys(known), ...onlyHere(differences, known)])].toSorted(),
    );
    for (const [name, text] of shown) {
      const isSame = Object.hasOwn(known, name) && isDeepStrictEqual(fromJsonText(text), plain(known[name]));
      const [expected, why] = differences[name] ?? [undefined, 'LangGraph showed the same'];
      if (expected !== undefined) expect(text, `${name}: ${why}`).toBe(expected);
      expect(isSame, `${name}: ${why}`).toBe(expected === undefined);
    }
  });
}

/** Numbers that the facts have as Python's repr, because JSON would round them or has none of them. */
function plain(known: unknown): unknown {
  const repr =
    typeof known === 'object' && known !== null && Object.keys(known).length === 1 ? Object.entries(known)[0] : [];
  if (repr?.[0] !== '$repr') return known;
  const text = String(repr[1]).replace('nan', 'NaN').replace('inf', 'Infinity');
  return fromJsonText(text);
}

const onlyHere = (differences: Differences, known: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(differences).filter((name) => !Object.hasOwn(known, name));

const PARTS = "LangGraph shows Python's repr; here the stored parts are beside the name of the type";
const BYTES = 'bytes are shown in base64, and the kind of bytes is not stored';
const SHORTENED = 'the facts have the first 40 characters and the number of all';

/** Of Python's stores. `module` is where the agents' own classes are. */
export function pythonDifferences(module: string, set: string): Differences {
  const value = (type: string, text: string, why = PARTS): readonly [string, string] => [
    `{"$type":"${type}","value":${text}}`,
    why,
  ];
  return {
    set: value('builtins.set', set),
    frozenset: value('builtins.frozenset', '[2]'),
    deque: value('collections.deque', '[1,2]'),
    bytes: ['{"$type":"bytes","size":4,"base64":"AAH+/w=="}', BYTES],
    bytearray: ['{"$type":"bytes","size":2,"base64":"YmE="}', BYTES],
    nonstr_keys: [
      '{"$type":"dict","items":[[1,"true"],[2.5,"two-half"],[null,"none"],[{"$type":"bytes","size":1,"base64":"aw=="},"bytes"]]}',
      'the facts make texts of the keys; here each keeps its type',
    ],
    datetime_naive: value('datetime.datetime', '"2026-11-21T12:00:01.000500"'),
    datetime_tz: value('datetime.datetime', '"2026-11-21T12:00:00+00:00"'),
    date: value('datetime.date', '[2026,11,21]'),
    time: ['{"$type":"datetime.time","hour":23,"minute":59,"second":1,"microsecond":0,"tzinfo":null,"fold":0}', PARTS],
    timedelta: value('datetime.timedelta', '[1,5,7]'),
    timezone: value('datetime.timezone', '[{"$type":"datetime.timedelta","value":[0,7200,0]},"X"]'),
    zoneinfo: value('zoneinfo.ZoneInfo', '"Europe/Paris"'),
    uuid: value('uuid.UUID', '"12345678123456781234567812345678"'),
    decimal: value('decimal.Decimal', '"3.1400"'),
    path: value('pathlib._local.PosixPath', '["/","tmp","a b.txt"]'),
    regex: value(
      're.compile',
      '["a+(b)",34]',
      'stored is the call that makes the pattern, with the number of its flags',
    ),
    ipv4: value('ipaddress.IPv4Address', '"10.0.0.1"'),
    ipv6net: value('ipaddress.IPv6Network', '"2001:db8::/32"'),
    enum: value(`${module}.Color`, '"red"', `${PARTS}; a program without the class gets None`),
    namedtuple: [`{"$type":"${module}.Pt","x":1,"y":2}`, `${PARTS}; a program without the class gets None`],
    dataclass: [
      `{"$type":"${module}.Box","w":3,"items":["x"],"when":{"$type":"datetime.datetime","value":"2026-01-01T00:00:00"}}`,
      `${PARTS}; a program without the class gets None`,
    ],
    pydantic: [
      `{"$type":"${module}.Profile","name":"Ada","age":3,"tags":{"$type":"builtins.set","value":["t"]},"child":{"name":"Kid","age":3,"tags":{"$type":"builtins.set","value":[]},"child":null}}`,
      `${PARTS}; a model in a model is stored as a dict`,
    ],
    secret: value('pydantic.types.SecretStr', '"**********"'),
    document: [
      '{"$type":"langchain_core.documents.base.Document","id":null,"metadata":{"src":"a.md"},"page_content":"doc text","type":"Document"}',
      PARTS,
    ],
    numpy: [
      '{"$type":"numpy.ndarray","dtype":"<f4","shape":[2,3],"order":"C","data":{"$type":"bytes","size":24,"base64":"AAAAAAAAgD8AAABAAABAQAAAgEAAAKBA"}}',
      PARTS,
    ],
    long: [JSON.stringify('L'.repeat(5000)), SHORTENED],
    send: ['{"$type":"langgraph.types.Send","node":"nowhere","arg":{"k":1}}', PARTS],
  };
}

const REVIVED = 'LangGraph makes the object that the envelope names; here the envelope is data';
const envelope = (name: string, args: string, method = 'null'): readonly [string, string] => [
  `{"lc":2,"type":"constructor","id":["${name}"],"method":${method},"args":${args},"kwargs":{}}`,
  REVIVED,
];

export const JAVASCRIPT_DIFFERENCES: Differences = {
  set: envelope('Set', '[["a",2,{"k":1}]]'),
  map: envelope('Map', '[[["k",{"deep":[1,2]}],[7,"seven"]]]'),
  regexp: envelope('RegExp', '["ab+c","gi"]'),
  error: envelope('Error', '["out of range"]'),
  bytes: envelope('Uint8Array', '[[0,1,254,255]]', '"from"'),
  undef: ['{"lc":2,"type":"undefined"}', 'the facts, which are JSON, leave undefined out'],
  long: [JSON.stringify('L'.repeat(5000)), SHORTENED],
  proto_like: [
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"p":1}}}',
    'LangGraph takes the key __proto__ for the prototype; here it is a key like any other',
  ],
  lc_like: [
    '{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"plain object that looks like a serialized message"}}',
    'LangGraph makes a message of it, which has more fields',
  ],
};
