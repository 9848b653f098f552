// What tests count. The ordinary suite counts work, which is the same on a busy machine; `npm run scale` takes the time.
import processes from 'node:child_process';
import crypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import zlib, { type Gunzip } from 'node:zlib';
import { onTestFinished, vi } from 'vitest';

/** What the system says of this process; absent where it does not count, which is anywhere but on Linux. */
const COUNTERS = '/proc/self/io';

async function countedBy(name: 'rchar' | 'wchar', work: () => unknown): Promise<number> {
  if (!existsSync(COUNTERS)) {
    await work();
    return 0;
  }
  const now = (): number => Number(new RegExp(`${name}: (\\d+)`).exec(readFileSync(COUNTERS, 'utf8'))?.[1]);
  const before = now();
  await work();
  return now() - before;
}

/** Bytes that this process reads from files and sockets during the work; 0 where the system does not count them. */
export const bytesRead = (work: () => unknown): Promise<number> => countedBy('rchar', work);

/** Bytes that this process writes during the work; 0 where the system does not count them. */
export const bytesWritten = (work: () => unknown): Promise<number> => countedBy('wchar', work);

const FACTOR = 16;
/** Work that grows as its input, with what collecting garbage adds; quadratic work grows 256 times. */
export const LINEAR = 6 * FACTOR;

const ROUNDS = 4;

/**
 * How many times more processor time 16 times as much work takes. Processor time, unlike the clock, does not run while
 * a busy machine does something else; caches that others fill still cost some, so the best of a few rounds counts.
 * @example expect(growth((size) => parseJson(texts[size]), 32_000)).toBeLessThan(LINEAR)
 */
export function growth(work: (size: number) => unknown, largest: number): number {
  const small = largest / FACTOR;
  work(small);
  const cost = (size: number, tries: number): number =>
    Math.min(...Array.from({ length: tries }, () => processorTime(() => work(size))));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && best >= LINEAR; round += 1)
    best = Math.min(best, cost(largest, 2) / Math.max(cost(small, 5), 500));
  return best;
}

function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Milliseconds by the clock; for `npm run scale` alone. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** By how many bytes the memory of this process is larger after the work; for `npm run scale` alone. */
export async function memoryGrowth(work: () => unknown): Promise<number> {
  const before = process.memoryUsage().rss;
  await work();
  return process.memoryUsage().rss - before;
}

/** How many bytes of gzip were inflated since, until the test ends. */
export function watchInflation(): { readonly inflated: () => number } {
  const made: Gunzip[] = [];
  const { createGunzip } = zlib;
  const spy = vi.spyOn(zlib, 'createGunzip').mockImplementation((options) => {
    const gunzip = createGunzip(options);
    made.push(gunzip);
    return gunzip;
  });
  restoreAtEnd(spy);
  return { inflated: () => made.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) };
}

/** How many keys were derived from passphrases since, until the test ends. */
export function watchDerivations(): { readonly derived: () => number } {
  const spies = [vi.spyOn(crypto, 'pbkdf2'), vi.spyOn(crypto, 'pbkdf2Sync')];
  for (const spy of spies) restoreAtEnd(spy);
  return { derived: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
}

/** What `randomBytes` answers next, in hexadecimal digits, until the test ends; then it draws again. */
export function nextRandomBytes(...answers: readonly string[]): void {
  const { randomBytes } = crypto;
  const next = [...answers];
  const answer = (size: number): Buffer => {
    const hex = next.shift();
    return hex === undefined ? randomBytes(size) : Buffer.from(hex, 'hex');
  };
  restoreAtEnd(vi.spyOn(crypto, 'randomBytes').mockImplementation(answer));
}

/** After how many milliseconds each program that is started from now on would be ended, until the test ends. */
export function watchProcesses(): { readonly limits: () => unknown[] } {
  const spy = vi.spyOn(processes, 'execFile');
  restoreAtEnd(spy);
  const limitOf = (options: unknown): unknown =>
    typeof options === 'object' && options !== null && 'timeout' in options ? options.timeout : undefined;
  return { limits: () => spy.mock.calls.map((call: readonly unknown[]) => limitOf(call[2])) };
}

/** Modules hold the functions of Node by name: they are told when one is exchanged. */
function restoreAtEnd(spy: { mockRestore(): void }): void {
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
