import { expect, it } from 'vitest';
import { DEFAULTS, readOptions } from './options.ts';

it('reads steps, seeds and where to write', () => {
  expect(readOptions([], 'R.md')).toEqual({ ...DEFAULTS, json: false, out: 'R.md' });
  expect(readOptions(['--steps', '10, 50', '--seeds', '7', '--json'], 'R.md')).toEqual({
    steps: [10, 50],
    seeds: [7],
    json: true,
  });
  expect(readOptions(['--seeds', '7', '--out', 'a.md'], 'R.md')).toMatchObject({ steps: DEFAULTS.steps, out: 'a.md' });
});

it('keeps the results that are quoted where only some of the steps or seeds are run', () => {
  expect(readOptions(['--seeds', '1'], 'R.md').out).toBeUndefined();
  expect(readOptions(['--json'], 'R.md').out).toBeUndefined();
});

it.each([
  ['--steps', '1'],
  ['--steps', '5001'],
  ['--steps', '10,x'],
  ['--seeds', '-1'],
  ['--seeds', ''],
  ['--fast'],
  ['10'],
])('refuses %s %s', (...args) => {
  expect(() => readOptions(args, 'R.md')).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});
