import { InspectorError } from '@checkpoint-inspector/core';

const SCHEME = /^postgres(?:ql)?:\/\//i;
const NAMED = /^env:(.+)$/;

/** Where a database is. Holds a password: `shown` and `server` may be shown, the rest may not. */
export interface PostgresAddress {
  /** For the driver alone. */
  readonly url: string;
  /** Host, port and database, and the schema where the address names one. */
  readonly shown: string;
  /** Host and port. */
  readonly server: string;
  readonly schema?: string;
  /** Every spelling of the password, so that it can be taken out of what others write. */
  readonly secrets: readonly string[];
}

/** True for `postgres://…` and for an `env:NAME` that holds one. */
export function isPostgresAddress(text: string): boolean {
  return SCHEME.test(resolved(text) ?? '');
}

/** @throws InspectorError invalid_input; the message never quotes the address */
export function postgresAddress(text: string): PostgresAddress {
  const address = resolved(text);
  if (address === undefined) {
    throw new InspectorError('invalid_input', `The environment variable ${text.slice('env:'.length)} is not set.`);
  }
  if (!SCHEME.test(address)) throw notAnAddress();
  const url = parsed(address);
  const schema = url.searchParams.get('schema') ?? undefined;
  url.searchParams.delete('schema');
  meanEncryption(url);
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  const server = `${host}:${url.port === '' ? '5432' : url.port}`;
  return {
    url: url.href,
    server,
    shown: `postgres://${server}${url.pathname}${schema === undefined ? '' : `?schema=${encodeURIComponent(schema)}`}`,
    ...(schema === undefined ? {} : { schema }),
    secrets: secretsOf(url),
  };
}

function resolved(text: string): string | undefined {
  const name = NAMED.exec(text)?.[1];
  return name === undefined ? text : process.env[name];
}

/** The URL parser's own error holds its input. */
function parsed(address: string): URL {
  const written = address.replace(SCHEME, 'postgres://');
  if (!URL.canParse(written)) throw notAnAddress();
  return new URL(written);
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The driver takes these for `verify-full`, and warns of it on every start. @throws InspectorError invalid_input */
function meanEncryption({ searchParams }: URL): void {
  const mode = searchParams.get('sslmode') ?? '';
  if (mode !== '' && !MODES.includes(mode)) {
    throw new InspectorError('invalid_input', 'The sslmode of the address is unknown.', {
      remedy: `Write one of these: ${MODES.join(', ')}.`,
    });
  }
  if (searchParams.has('uselibpqcompat') || !['prefer', 'require', 'verify-ca'].includes(mode)) return;
  searchParams.set('sslmode', 'verify-full');
}

function notAnAddress(): InspectorError {
  return new InspectorError('invalid_input', "This isn't a valid PostgreSQL address.", {
    remedy: 'Write postgres://user:password@host:port/database, and encode special characters: %40 for @, %2F for /.',
  });
}

function secretsOf(url: URL): string[] {
  const written = [url.password, url.searchParams.get('password') ?? ''].filter((secret) => secret !== '');
  return [...new Set(written.flatMap((secret) => [secret, decoded(secret)]))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes the password out of a text of the driver or the server. */
export function withoutSecrets(text: string, { secrets }: Pick<PostgresAddress, 'secrets'>): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}
