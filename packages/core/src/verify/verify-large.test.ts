/** A state of many megabytes: checked as strictly as a small one, without a tree of it in memory. */
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../hash.ts';
import type * as Json from '../json/index.ts';
import { MemoryStore } from '../memory.ts';
import type * as Verify from './verify.ts';
import type { VerifyReport } from './verify.ts';

/** Loaded again, so that it gets our `parseJson`. */
async function verifier() {
  const parseJson = vi.fn();
  vi.resetModules();
  vi.doMock('../json/index.ts', async (original) => ({ ...(await original<typeof Json>()), parseJson }));
  const { verifySource }: typeof Verify = await import('./verify.ts');
  vi.doUnmock('../json/index.ts');
  return { verifySource, parseJson };
}

const MESSAGE = '{"role":"user","content":"h\\u00e9llo","tokens":[1.0,2e3,null,true]}';
const messages = (last: string): string => `{"messages":[${`${MESSAGE},`.repeat(130_000)}${last}]}`;

async function verifyText(text: string): Promise<VerifyReport & { trees: number }> {
  const { verifySource, parseJson } = await verifier();
  const store = new MemoryStore();
  await store.save({ task: 'run', id: 'c1', text: '{}' });
  const sha256 = await sha256Hex(text);
  const source = new Proxy(store, {
    get: (target, name) => {
      const value: unknown =
        name === 'state' ? async () => ({ text, revision: sha256, sha256 }) : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...(await verifySource(source)), trees: parseJson.mock.calls.length };
}

describe('verifying a state of more than 8 MB', () => {
  it('reads it whole and builds no tree of it', async () => {
    const text = messages(MESSAGE);
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(await verifyText(text)).toMatchObject({
      read: 1,
      damaged: 0,
      notRead: 0,
      stateBytes: text.length,
      trees: 0,
    });
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
