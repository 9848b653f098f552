/** Tells which process something belongs to, and whether it still runs. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** A pid alone is not enough: the system gives it out again. */
export interface Owner {
  readonly pid: number;
  /** When the process started, as its system says it. */
  readonly token: string;
  /** Machine and pid namespace: a pid of another container says nothing here. */
  readonly place: string;
}

/** An owner elsewhere cannot be looked up; after this time it is taken as gone. */
const ELSEWHERE_MS = 10 * 60_000;
const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString();

/** This process. */
export function currentOwner(): Owner {
  return { pid: process.pid, token: startToken(process.pid) ?? startedAt, place: placeHere() };
}

/** False once the process is gone. `begunAt` is ISO 8601. */
export function isAlive(owner: Owner, begunAt: string, now: number = Date.now()): boolean {
  if (owner.place !== placeHere()) return now - Date.parse(begunAt) < ELSEWHERE_MS;
  if (owner.pid === process.pid) return owner.token === currentOwner().token;
  if (process.platform === 'linux') return startToken(owner.pid) === owner.token;
  return Date.parse(owner.token) > bootedMs(now) && answers(owner.pid);
}

/**
 * The process that has this pid here since before `ms`, in milliseconds since 1970; `undefined` where there is none.
 * Only Linux tells when another process started: elsewhere its token is empty.
 */
export function runningOwner(pid: number, ms: number): Owner | undefined {
  if (pid === process.pid) return currentOwner();
  const token = process.platform === 'linux' ? startToken(pid) : ms > bootedMs() && answers(pid) ? '' : undefined;
  return token === undefined ? undefined : { pid, token, place: placeHere() };
}

const bootedMs = (now = Date.now()): number => now - uptime() * 1000;

/** Linux: boot id and start time in clock ticks. A zombie has no token: it will do nothing any longer. */
function startToken(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so the fields are counted after its end: state is 3, start time 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

function placeHere(): string {
  if (process.platform !== 'linux') return hostname();
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
