import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';
import { InspectorError } from '@checkpoint-inspector/core';

const everywhere = new BlockList();
everywhere.addAddress('0.0.0.0', 'ipv4');
everywhere.addAddress('::', 'ipv6');
everywhere.addAddress('::ffff:0.0.0.0', 'ipv6');

/** True for an address that means all interfaces. */
export function isWildcard(address: string): boolean {
  return everywhere.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * The address to bind for what a user wrote as host; every spelling of "all
 * interfaces" is refused unless it was asked for by its dangerous name.
 * @throws InspectorError invalid_input
 */
export async function bindAddress(host: string, dangerouslyBindAllInterfaces: boolean): Promise<string> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const address = bare === '' || bare === '*' ? '0.0.0.0' : await resolveHost(bare);
  if (dangerouslyBindAllInterfaces || !isWildcard(address)) return address;
  throw new InspectorError('invalid_input', `"${host}" would offer your checkpoints to the whole network.`, {
    remedy: 'Leave --host out, or name one address of this machine.',
  });
}

async function resolveHost(host: string): Promise<string> {
  try {
    // 127.0.0.1 first: the printed address is the one that is bound.
    return (await lookup(host, { order: 'ipv4first' })).address;
  } catch (cause) {
    throw new InspectorError('invalid_input', `"${host}" is no address of this machine.`, { cause });
  }
}

/** Host headers that reach a server bound to this address and port; a wildcard is no name of it. */
export function ownHosts(address: string, port: number): string[] {
  const loopback = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (isWildcard(address)) return loopback;
  if (isIPv6(address)) return [`[${address}]:${port}`, `localhost:${port}`];
  return [...new Set([`${address}:${port}`, ...loopback])];
}
