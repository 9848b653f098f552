import { InspectorError, parseJson, type Path, valueAt } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { withNew, without, withValue } from './TreeEditor.tsx';

const TEXT = '{ "n": 1.0, "list": [1e3, {"a": 12345678901234567890}], "": {} }';

function removed(path: Path): string {
  const node = valueAt(TEXT, parseJson(TEXT), path);
  if (!node) throw new Error('no such path');
  return without(TEXT, path, node);
}

describe('acts of the tree editor', () => {
  it('change one value and leave every other token as it is', () => {
    expect(withValue(TEXT, ['list', 1, 'a'], ' false ')).toBe('{ "n": 1.0, "list": [1e3, {"a": false}], "": {} }');
  });

  it('add a member and an item', () => {
    expect(withNew(TEXT, [''], 'k', '2.50')).toBe(
      '{ "n": 1.0, "list": [1e3, {"a": 12345678901234567890}], "": {"k": 2.50} }',
    );
    const grown = withNew(TEXT, ['list'], '', '"x"');
    expect(parseJson(grown)).toBeDefined();
    expect(grown).toContain('1e3');
    expect(valueAt(grown, parseJson(grown), ['list', 2])).toMatchObject({ kind: 'string' });
  });

  it('remove a member and an item', () => {
    expect(JSON.parse(removed(['n']))).not.toHaveProperty('n');
    expect(removed(['n'])).toContain('12345678901234567890');
    expect(JSON.parse(removed(['list', 0]))).toMatchObject({ list: [{}] });
  });

  it('refuse a value that is not JSON', () => {
    expect(() => withValue(TEXT, ['n'], 'yes')).toThrow(InspectorError);
    expect(() => withNew(TEXT, [''], 'k', '')).toThrow(InspectorError);
  });
});
