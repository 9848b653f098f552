import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell.ts';

describe('words of a shell', () => {
  it('are what they were, whatever is in them', () => {
    const words = ['a', '', "it's", '$(touch x)', '`x`', 'a b;c', '"', '~', '*', 'a\nb', '!x', '(x)', '\\', '#'];
    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], {
      encoding: 'utf8',
    });
    expect(stdout.split('\0').slice(0, -1)).toEqual(words);
  });

  it('stay plain where that is safe', () => {
    expect(shellWord('prod/report%2Fa/ckpt_1')).toBe('prod/report%2Fa/ckpt_1');
  });
});
