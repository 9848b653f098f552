/** Values of the reference implementation, on both sides of every length at which the rules change. */
import { describe, expect, test } from 'vitest';
import { xxh3 } from './xxh3.ts';

describe('XXH3-128', () => {
  test.each([
    [17, '87a3d4506bedd5649f166f98e8c7d6d8'],
    [32, '948b89cc364a6c14a9e5525d1313ef69'],
    [33, '52690df719c32c554b450d35e4e4ce40'],
    [64, '5914f5995a136fedce6033110f0e190c'],
    [65, '652f0fb569a7679762635de38a5cecaf'],
    [96, 'c975a517453689134b4d2855354723da'],
    [97, '00a0693ce78ee58a62cf4ae63bb12a3e'],
    [128, '6366d7603fd45b4ae5ba6e4129933089'],
    [129, '29ff8922f1223360efe75d0059e9e2d3'],
    [160, 'f981459584c2e4459a5e902dbab22008'],
    [161, 'f40f5c29cefa514bd9baf8fb1776c645'],
    [239, '369d565ced7968e72d085200a0098d00'],
    [240, '162f94b689da4e16fd17fecfdb5c1b45'],
    [241, '83e91254d35bcf72bd7d29b6ba966d6a'],
    [1024, '8bbb9f7af37f2f52dc5acf0b043c445b'],
    [1025, 'f66a602aa3eda73bc856c953bbdbc807'],
    [2049, 'c5bb05b0e31fbadc036bbe6219dfccda'],
  ])('%i bytes', (size, hash) => {
    expect(xxh3(Buffer.from(Array.from({ length: size }, (_, n) => (n * 7 + size) & 0xff)))).toBe(hash);
  });

  test('fewer bytes than the name of any task has are refused', () => {
    expect(() => xxh3(Buffer.alloc(16))).toThrow(RangeError);
  });
});
