import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('gives every rule of the linter that is off a reason above it', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../.oxlintrc.json'), 'utf8').split('\n');
  const unexplained = lines.filter((line, at) => {
    if (!/^ *"[^"]+": "off",?$/.test(line)) return false;
    const before = lines.slice(0, at).findLast((other) => !/": "off",?$/.test(other));
    // In an override the reason is above its files.
    return !/^ *\/\//.test(before) && !isInOverride(lines, at);
  });
  expect(unexplained).toEqual([]);
});

const isInOverride = (lines, at) => at > lines.findIndex((line) => line.includes('"overrides"'));
