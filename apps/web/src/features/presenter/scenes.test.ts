import { describe, expect, it } from 'vitest';
import { KEY_GROUPS } from '../shell/key-sheet.ts';
import { LAST_SCENE, sceneOf, widened } from '../../lib/presenting.ts';
import { SCENES } from './scenes.ts';

describe('the scenes', () => {
  it('are seven, each with words for the audience and numbers for the presenter', () => {
    expect(SCENES).toHaveLength(LAST_SCENE);
    for (const { title, say, to, expect: numbers } of SCENES) {
      expect(title.length).toBeLessThan(40);
      expect(say.split(/(?<=\.) /).length).toBeLessThanOrEqual(3);
      expect(say).not.toMatch(/ckpt|JSON|!/);
      expect(to).toMatch(/^\//);
      expect(numbers.length).toBeGreaterThan(0);
    }
  });

  it('name only keys that the sheet has', () => {
    const sheet = new Set(KEY_GROUPS.flatMap(({ lines }) => lines.flatMap(({ keys }) => keys)));
    for (const { keys } of SCENES)
      for (const key of keys.flatMap((line) => line.keys)) if (key !== 'Tab') expect(sheet).toContain(key);
  });
});

describe('presenting', () => {
  it('begins at a scene that is there', () => {
    expect(['1', '7', '8', '0', 'x', '', null].map(sceneOf)).toEqual([1, 7, ...Array.from({ length: 5 })]);
  });

  it('counts with less room, as everything is larger', () => {
    expect(widened('(min-width: 1180px)')).toBe('(min-width: 1593px)');
    expect(widened('(prefers-reduced-motion: reduce)')).toBe('(prefers-reduced-motion: reduce)');
  });
});
