/** A state of many megabytes: checked as strictly as a small one, without a tree of it in memory. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../hash.ts';
import * as json from '../json/index.ts';
import { MemoryStore } from '../memory.ts';
import { verifySource, type VerifyReport } from './verify.ts';

vi.mock('../json/index.ts', async (original) => {
  const actual = await original<typeof json>();
  return { ...actual, parseJson: vi.fn(actual.parseJson) };
});

const MESSAGE = '{"role":"user","content":"h\\u00e9llo","tokens":[1.0,2e3,null,true]}';
const messages = (last: string): string => `{"messages":[${`${MESSAGE},`.repeat(130_000)}${last}]}`;

async function verifyText(text: string): Promise<VerifyReport> {
  const store = new MemoryStore();
  await store.save({ task: 'run', id: 'c1', text: '{}' });
  const hash = await sha256Hex(text);
  const source = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === 'state' ? async () => ({ text, hash }) : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  vi.mocked(json.parseJson).mockClear();
  return verifySource(source);
}

afterEach(() => vi.mocked(json.parseJson).mockClear());

describe('verifying a state of more than 8 MB', () => {
  it('reads it whole and builds no tree of it', async () => {
    const text = messages(MESSAGE);
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(await verifyText(text)).toMatchObject({ read: 1, damaged: 0, notRead: 0, stateBytes: text.length });
    expect(json.parseJson).not.toHaveBeenCalled();
  });

  it.each([
    ['an escape that JSON does not have', String.raw`"\x"`],
    ['a bare control character', '"\n"'],
    ['a number with a leading zero', '01'],
    ['a comma without a value', '1,'],
  ])('finds %s at its end', async (_, last) => {
    const report = await verifyText(messages(last));
    expect(report).toMatchObject({ read: 0, damaged: 1 });
    expect(report.findings[0]?.message).toMatch(/^Not JSON at offset \d+/);
  });
});
