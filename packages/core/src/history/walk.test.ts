import { describe, expect, it } from 'vitest';
import { InspectorError } from '../errors.ts';
import { parsePath, type Path } from '../json/path.ts';
import { collect } from '../testing/builders.ts';
import { locate } from './locate.ts';
import type { HistoryRow, HistorySource } from './types.ts';
import { PathWalk } from './walk.ts';

/** Oldest first, as told; a number is a revision without text, an error a state that cannot be read. */
type Told = string | undefined | InspectorError;

function sources(states: readonly Told[], onRead: (id: string) => void = () => undefined): HistorySource[] {
  return states
    .map((state, position): HistorySource => {
      const id = `c${position + 1}`;
      return {
        point: { ref: { task: 't', id }, position, seq: position + 1 },
        ...(typeof state === 'string' ? { revision: `revision of ${state}` } : {}),
        read: async () => {
          onRead(id);
          if (state instanceof InspectorError) throw state;
          return state === undefined ? undefined : { text: state, revision: `revision of ${state}` };
        },
      };
    })
    .reverse();
}

async function* pathHistory(path: Path, newestFirst: readonly HistorySource[]): AsyncGenerator<HistoryRow> {
  const walk = new PathWalk(path);
  for (const source of newestFirst) yield* await walk.next(source);
  yield* walk.end();
}

async function told(path: string, states: readonly Told[]): Promise<string[]> {
  const rows = await collect(pathHistory(parsePath(path), sources(states)));
  return rows.map(({ ref, kind, before = '', after = '', from, to, gap }) =>
    [
      `${ref.id} ${kind}`,
      gap && `${gap.count} from ${gap.oldest.id} ${gap.code} ${gap.sides}`,
      `${before}→${after}`,
      from && `from ${from}`,
      to && `to ${to}`,
    ]
      .filter(Boolean)
      .join(' '),
  );
}

const locked = new InspectorError('locked', 'This row is encrypted.');

describe('the history of a value', () => {
  it('is every checkpoint in which it changed, newest first, as stored', async () => {
    const states = ['{}', '{"a":{"b":4.20}}', '{"a":{"b":4.20},"x":1}', '{ "a" : {"b": 4200} }', '{"n":{"b":4200}}'];
    expect(await told('$.a.b', states)).toEqual(['c5 moved 4200→ to $.n.b', 'c4 changed 4.20→4200', 'c2 set →4.20']);
    expect(await told('$.n.b', states)).toEqual(['c5 moved →4200 from $.a.b']);
  });

  it('tells types, removals and a second setting apart', async () => {
    expect(await told('$.a', ['{"a":0}', '{"a":"0"}', '{"a":null}', '{}', '{"a":[]}', '{"a":{}}'])).toEqual([
      'c6 type-changed []→{}',
      'c5 set →[]',
      'c4 removed null→',
      'c3 type-changed "0"→null',
      'c2 type-changed 0→"0"',
      'c1 set →0',
    ]);
  });

  it('compares tokens: spaces and the order of keys are not a change, 1.0 is not 1', async () => {
    expect(await told('$.a', ['{"a":{"x":1,"y":2}}', '{"a":{ "y":2, "x":1 }}', '{"a":{"y":2,"x":1.0}}'])).toEqual([
      'c3 changed { "y":2, "x":1 }→{"y":2,"x":1.0}',
      'c1 set →{"x":1,"y":2}',
    ]);
  });

  it('follows an array element that went to another place', async () => {
    expect(
      await told('$[1].t', ['[{"id":1,"t":"one"},{"id":2,"t":"two"}]', '[{"id":2,"t":"two"},{"id":1,"t":"one"}]']),
    ).toEqual(['c2 moved "two"→"one" to $[0].t', 'c1 set →"two"']);
  });

  it('shows what could not be read as a row, and says what that hides', async () => {
    expect(await told('$.a', ['{"a":1}', locked, undefined, '{"a":2}'])).toEqual([
      'c3 gap 2 from c2 not_found differ 1→2',
      'c1 set →1',
    ]);
    expect(await told('$.a', ['{"a":1}', locked, '{"a":1}'])).toEqual([
      'c2 gap 1 from c2 locked same 1→1',
      'c1 set →1',
    ]);
    expect(await told('$.a', [locked, '{"a":1}'])).toEqual(['c1 gap 1 from c1 locked unknown →1']);
    expect(await told('$.a', ['{"a":1}', locked])).toEqual(['c2 gap 1 from c2 locked unknown 1→', 'c1 set →1']);
    expect(await told('$.a', [locked, locked])).toEqual(['c2 gap 2 from c1 locked unknown →']);
    expect(await told('$.a', ['{"a":1}', '{"a":', '{"a":1}'])).toEqual([
      'c2 gap 1 from c2 unreadable same 1→1',
      'c1 set →1',
    ]);
  });

  it('has no row for a value that never was', async () => {
    expect(await told('$.none', ['{}', '{"a":1}'])).toEqual([]);
    expect(await told('$', ['1', '1', '2'])).toEqual(['c3 changed 1→2', 'c1 set →1']);
  });

  it('does not read a state whose revision says it is the one before', async () => {
    const read: string[] = [];
    const same = '{"a":1}';
    await collect(
      pathHistory(
        ['a'],
        sources([same, same, '{"a":2}', '{"a":2}'], (id) => read.push(id)),
      ),
    );
    expect(read).toEqual(['c4', 'c2']);
  });

  it('reads only the values where those can be had, and states where a value may have moved', async () => {
    const states = ['{"a":{"b":1},"m":[]}', '{"a":{"b":1},"m":[2]}', '{"a":{"b":3},"m":[2]}', '{"a":{},"m":[2]}'];
    const read: string[] = [];
    const whole = sources(states, (id) => read.push(id));
    const values = whole.map((source) => ({
      ...source,
      readValue: async (path: Path) => {
        const text = states[source.point.position] ?? '';
        const value = locate(text, path);
        return { revision: `revision of ${text}`, ...(value === undefined ? {} : { value }) };
      },
    }));
    const rows = await collect(pathHistory(['a', 'b'], whole));
    read.length = 0;
    expect(await collect(pathHistory(['a', 'b'], values))).toEqual(rows);
    // Only the value that went may be elsewhere.
    expect(read).toEqual(['c3', 'c4']);
    const unknown = whole.map((source) => ({ ...source, readValue: async () => undefined }));
    expect(await collect(pathHistory(['a', 'b'], unknown))).toEqual(rows);
  });

  it('lets a defect through', async () => {
    const broken = new InspectorError('internal', 'A driver failed.');
    await expect(told('$.a', [broken])).rejects.toThrow('A driver failed.');
  });
});
