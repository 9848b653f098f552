import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, parseSettings, rulesFor } from './settings.ts';

describe('settings', () => {
  it('keep what is valid and fall back for the rest', () => {
    expect(parseSettings(null)).toEqual(DEFAULT_SETTINGS);
    expect(parseSettings('no json')).toEqual(DEFAULT_SETTINGS);
    expect(parseSettings('[1]')).toEqual(DEFAULT_SETTINGS);
    expect(
      parseSettings('{"density":"compact","keys":"yes","remap":{"j":1},"masked":false,"times":"local","other":1}'),
    ).toEqual({ ...DEFAULT_SETTINGS, density: 'compact', masked: false, times: 'local' });
  });

  it("add the reader's ignore rules to the store's own, and give way to those of the address", () => {
    const info = { system: 'kaizen', volatilePaths: ['$.time'] };
    expect(rulesFor(undefined, info, {})).toBeUndefined();
    expect(rulesFor(undefined, info, { native: ['$.x'] })).toBeUndefined();
    expect(rulesFor(undefined, info, { kaizen: ['$.x', '$.time'] })).toEqual(['$.time', '$.x']);
    expect(rulesFor([], info, { kaizen: ['$.x'] })).toEqual([]);
    expect(rulesFor(undefined, undefined, { kaizen: ['$.x'] })).toBeUndefined();
  });
});
