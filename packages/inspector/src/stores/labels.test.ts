import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelOf } from './labels.ts';

const at = (...parts: string[]): string => join('/', ...parts);

describe('the name of a store', () => {
  it('is the last part of its path, with its folder where that says nothing', () => {
    expect(labelOf(at('work', 'agent.db'))).toBe('agent.db');
    expect(labelOf(at('work', '.kaizen', 'checkpoints'))).toBe(join('.kaizen', 'checkpoints'));
    expect(labelOf(at('checkpoints'))).toBe('checkpoints');
  });

  it('has as many parts as tell it from the others', () => {
    const paths = [at('a', 'data', 'x.db'), at('b', 'data', 'x.db'), at('b', 'y.db'), at('x.db')];
    expect(paths.map((path) => labelOf(path, paths))).toEqual([
      join('a', 'data', 'x.db'),
      join('b', 'data', 'x.db'),
      'y.db',
      'x.db',
    ]);
    const projects = [at('a', '.kaizen', 'checkpoints'), at('b', '.kaizen', 'checkpoints')];
    expect(projects.map((path) => labelOf(path, projects))).toEqual([
      join('a', '.kaizen', 'checkpoints'),
      join('b', '.kaizen', 'checkpoints'),
    ]);
  });
});
