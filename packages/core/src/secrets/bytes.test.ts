import { describe, expect, it } from 'vitest';
import { findSecretBytes } from '../index.ts';

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
/** What is left to see, a dot for each byte that is hidden. */
function seen(text: string): string {
  const spans = findSecretBytes(latin1(text));
  return Array.from(text, (sign, at) => (spans.some(({ start, end }) => at >= start && at < end) ? '.' : sign)).join(
    '',
  );
}

describe('secrets in bytes', () => {
  const head = '\x93\xaepydantic.types\xa9SecretStr';

  it.each([
    ['a short text', '\xa7hunter2', '\xa7.......'],
    ['a text of 32 bytes and more', `\xd9\x20${'x'.repeat(32)}`, `\xd9\x20${'.'.repeat(32)}`],
    ['a text of 256 bytes and more', `\xda\x01\x00${'x'.repeat(256)}`, `\xda\x01\x00${'.'.repeat(256)}`],
    [
      'a text of 64 kB and more',
      `\xdb\x00\x01\x00\x00${'x'.repeat(65_536)}`,
      `\xdb\x00\x01\x00\x00${'.'.repeat(65_536)}`,
    ],
    ['bytes', '\xc4\x03abc', '\xc4\x03...'],
    ['a number', '\xcd\x04\xd2', '\xcd..'],
  ])('hides what pydantic keeps in clear: %s', (_, value, hidden) => {
    expect(seen(`a${head}${value}\xa8document`)).toBe(`a${head}${hidden}\xa8document`);
  });

  it('hides all there is of a list or an object', () => {
    expect(seen(`${head}\x92\xa1a\xa1b`)).toBe(`${head}.....`);
  });

  it.each(['SecretBytes', 'Secret', 'Secret[bytes]', 'MySecretStr'])('knows the class %s', (name) => {
    expect(seen(`\xa1m${String.fromCharCode(0xa0 + name.length)}${name}\xa2pw`)).toMatch(/\xa2\.\.$/);
  });

  it('hides as far as a dump goes that is cut inside', () => {
    expect(seen(`${head}\xd9\x40hunter2`)).toBe(`${head}\xd9\x40.......`);
    expect(seen(`${head}\xd9`)).toBe(`${head}\xd9`);
  });

  it('hides known shapes but for their beginning, and leaves a text that only has the word', () => {
    expect(seen(`\x81\xa3key\xb4sk-ant-${'x9'.repeat(8)}`)).toBe(`\x81\xa3key\xb4sk-a${'.'.repeat(19)}`);
    expect(seen('{"SecretStr":"SecretStr"}')).toBe('{"SecretStr":"SecretStr"}');
  });
});
