import { createHmac, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BlockList, isIPv6, type AddressInfo, type Socket } from 'node:net';
import { InspectorError } from '@checkpoint-inspector/core';
import { getRequestListener } from '@hono/node-server';
import { createApp, type AppDeps } from './app.ts';
import { createEventHub } from './events.ts';
import { MAX_TOKEN_BYTES } from './guards/guard.ts';
import { rawRefusal } from './guards/paths.ts';
import { createLoginCodes, type KeepToken } from './login-codes.ts';

export interface ServeOptions extends Omit<AppDeps, 'guards' | 'loginCodes'> {
  /** 0 takes any free port. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** More Host headers to serve, with port, as a tunnel or proxy sends them. */
  readonly allowedHosts?: readonly string[];
  readonly dangerouslyBindAllInterfaces?: boolean;
  /** Default: a new random one. It is kept in memory only. */
  readonly token?: string;
  /** How long a connection may stay open before its first byte. Default 10,000. */
  readonly silentMs?: number;
}

export interface RunningServer {
  /** `http://127.0.0.1:4600` */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** For agents: good at /mcp alone, where changes can only be proposed. The same for the same `token`. */
  readonly mcpToken: string;
  /** A link for a command line, which others may read: it opens the page once, within a minute. */
  oneTimeUrl(keep: KeepToken, path?: string): string;
  /** Ends event streams, lets running requests finish, then stops. Stores stay open. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** A diff names two checkpoints in its address, and ids may be thousands of characters long. */
const MAX_HEADER_BYTES = 128 * 1024;
const CLOSE_GRACE_MS = 2000;
const IDLE_CHECK_MS = 20;
/** A browser opens up to six connections ahead. */
const MIN_SILENT = 8;

/** A new token: 32 random bytes, base64url. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Starts the server on one address of this machine.
 * @throws InspectorError port_in_use | invalid_input
 * @example const server = await serve({ inspector, status, port: 4600 });
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', token = createToken(), dangerouslyBindAllInterfaces = false } = options;
  assertToken(token);
  for (const allowed of options.allowedHosts ?? []) assertHost(allowed);
  const address = await bindAddress(host, dangerouslyBindAllInterfaces);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 5000,
  });
  endSilent(server, options.silentMs ?? HEADERS_TIMEOUT_MS, Math.max(MIN_SILENT, Math.floor(openFilesLimit() / 4)));
  const { events = createEventHub() } = options;
  const { port } = await listen(server, options.port, address);
  const hosts = ownHosts(address, port);
  const mcpToken = createHmac('sha256', token).update('/mcp').digest('base64url');
  const guards = { token, mcpToken, hosts, addedHosts: options.allowedHosts ?? [] };
  const loginCodes = createLoginCodes(token);
  const app = createApp({ ...options, events, guards, loginCodes });
  const answer = getRequestListener(app.fetch);
  server.on('request', (incoming, outgoing) => {
    const refusal = rawRefusal(incoming);
    if (refusal === undefined) return void answer(incoming, outgoing);
    refuse(incoming, outgoing, refusal);
  });
  const url = `http://${hosts[0] ?? `127.0.0.1:${port}`}`;
  return {
    url,
    port,
    token,
    mcpToken,
    oneTimeUrl: (keep, path = '/') => `${url}${path}#code=${loginCodes.issue(keep)}`,
    close: () => close(server, () => events.close()),
  };
}

/**
 * Ends connections that send nothing: Node's own limits count from the first byte. Of too many the oldest go at once,
 * so that there are descriptors for those that ask something.
 */
function endSilent(server: Server, afterMs: number, most: number): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    const timer = setTimeout(() => socket.bytesRead === 0 && socket.destroy(), afterMs);
    silent.add(socket);
    socket.once('close', () => {
      clearTimeout(timer);
      silent.delete(socket);
    });
    const [oldest] = silent;
    if (silent.size > most) oldest?.destroy();
  });
  server.on('request', ({ socket }) => silent.delete(socket));
}

/** Only Linux tells it to a program; elsewhere Node has raised it as far as it goes. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

function assertHost(host: string): void {
  if (/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host)) return;
  throw new InspectorError('invalid_input', `"${host}" isn't a host that can be allowed.`, {
    remedy: 'Write it as browsers send it: a name, with its port if it has one, such as tunnel.example:8080.',
  });
}

function assertToken(token: string): void {
  if (token === '') throw new InspectorError('invalid_input', "A token can't be empty.");
  if (/\s/.test(token)) throw new InspectorError('invalid_input', "A token can't contain white space.");
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES)
    throw new InspectorError('invalid_input', `A token can have at most ${MAX_TOKEN_BYTES} bytes.`);
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, message: string): void {
  const body = JSON.stringify(new InspectorError('invalid_input', message).toWire());
  outgoing.writeHead(400, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  outgoing.end(body);
  incoming.resume();
}

function listen(server: Server, port: number, address: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(bindError(cause, port, address)));
    server.listen({ port, host: address, exclusive: true }, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string')
        return reject(new InspectorError('internal', 'Not bound to a port.'));
      resolve(bound);
    });
  });
}

function bindError(cause: NodeJS.ErrnoException, port: number, address: string): InspectorError {
  if (cause.code === 'EADDRINUSE') {
    return new InspectorError('port_in_use', `Port ${port} is used by another program.`, { data: { port }, cause });
  }
  return new InspectorError('invalid_input', `Port ${port} of ${address} can't be used: ${cause.code ?? 'failed'}.`, {
    cause,
  });
}

async function close(server: Server, endStreams: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  endStreams();
  // A connection is idle only once its last answer is written.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(grace);
}

const everywhere = new BlockList();
everywhere.addAddress('0.0.0.0', 'ipv4');
everywhere.addAddress('::', 'ipv6');
everywhere.addAddress('::ffff:0.0.0.0', 'ipv6');

/** True for an address that means all interfaces. */
function isWildcard(address: string): boolean {
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
  throw new InspectorError('invalid_input', `"${host}" would expose your checkpoints to the whole network.`, {
    remedy: "Omit --host, or use one of this machine's addresses.",
  });
}

async function resolveHost(host: string): Promise<string> {
  try {
    // 127.0.0.1 first: the printed address is the one that is bound.
    return (await lookup(host, { order: 'ipv4first' })).address;
  } catch (cause) {
    throw new InspectorError('invalid_input', `"${host}" isn't an address of this machine.`, { cause });
  }
}

/** Host headers that reach a server bound to this address and port; a wildcard is not a name of it. */
export function ownHosts(address: string, port: number): string[] {
  const loopback = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (isWildcard(address)) return loopback;
  if (isIPv6(address)) return [`[${address}]:${port}`, `localhost:${port}`];
  return [...new Set([`${address}:${port}`, ...loopback])];
}
