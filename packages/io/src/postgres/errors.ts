import { InspectorError, type ErrorCode } from '@checkpoint-inspector/core';
import { withoutSecrets, type PostgresAddress } from './address.ts';

interface Meaning {
  readonly code: ErrorCode;
  readonly words: string;
  readonly remedy?: string;
}

const CERTIFICATE: Meaning = {
  code: 'unreadable',
  words: "the server's certificate isn't trusted",
  remedy: 'Name its authority in the address with sslrootcert=<file>, or skip the check with sslmode=no-verify.',
};
const AGAIN = 'The connection is made again by itself: try again in a moment.';

/** By SQLSTATE, or by the errno of the socket. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [
    /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT|ETIMEDOUT)$/,
    {
      code: 'busy',
      words: "the server doesn't answer",
      remedy: 'Check the host and the port, and that the server is running.',
    },
  ],
  [
    /^28/,
    {
      code: 'wrong_key',
      words: 'the server refused to sign in',
      remedy: 'Check the user and password of the address.',
    },
  ],
  [
    /^3D000$/,
    { code: 'no_store', words: "the database doesn't exist", remedy: 'Check the name at the end of the address.' },
  ],
  [/^53300$/, { code: 'busy', words: 'the server has no connection left' }],
  [/^53100$/, { code: 'disk_full', words: "the server's disk is full" }],
  [/^(08|57P0|ECONNRESET$|EPIPE$)/, { code: 'busy', words: 'the connection was lost', remedy: AGAIN }],
  [/^57014$/, { code: 'busy', words: 'the answer took too long', remedy: 'Try again when the server is less busy.' }],
  [/^(55P03|40)/, { code: 'busy', words: 'another process is changing the same rows' }],
  [/^25006$/, { code: 'read_only', words: 'the database is open read-only', remedy: 'Open the primary server.' }],
  [
    /^42501$/,
    { code: 'unreadable', words: "this user isn't allowed to do that", remedy: 'Grant this user the privileges.' },
  ],
  [/^(42P01|42703|42883|3F000)$/, { code: 'unreadable', words: 'the tables have another layout' }],
  [/^(XX001|XX002)$/, { code: 'unreadable', words: 'the data on the server is damaged' }],
  [/CERT|^UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^EPROTO$/, CERTIFICATE],
  [/^22021$/, { code: 'invalid_input', words: "a text contains a character that PostgreSQL can't store" }],
  [/^23/, { code: 'changed', words: 'a rule of the table forbids that' }],
];

/** The driver has no code for these. */
const LOST: Meaning = { code: 'busy', words: 'the connection was lost', remedy: AGAIN };
const PLAIN: Meaning = {
  code: 'unreadable',
  words: "the server doesn't encrypt connections",
  remedy: 'Leave sslmode out of the address, or set it to disable.',
};
const SLOW: Meaning = { code: 'busy', words: 'no connection was free in time' };

/** The driver's or the server's error as an InspectorError, without the password. InspectorErrors pass. */
export function postgresError(error: unknown, address: PostgresAddress): InspectorError {
  if (InspectorError.is(error)) return error;
  const state = stateOf(error);
  const text = withoutSecrets(messageOf(error), address);
  const meaning = meaningOf(error, state);
  const data = { address: address.shown, ...(state === '' ? {} : { postgres: state }) };
  if (!meaning) return new InspectorError('internal', `PostgreSQL: ${text}`, { cause: error, data });
  const remedy = meaning.remedy === undefined ? {} : { remedy: meaning.remedy };
  return new InspectorError(meaning.code, `${address.shown}: ${meaning.words} (${text}).`, {
    cause: error,
    data,
    ...remedy,
  });
}

/** The same while a database is opened: a database that doesn't exist is `no_store`, not `busy`. */
export function openingError(error: unknown, address: PostgresAddress): InspectorError {
  const known = postgresError(error, address);
  if (known.code !== 'busy' || !/^E[A-Z]/.test(String(known.data?.['postgres']))) return known;
  return new InspectorError('no_store', known.message, {
    cause: error,
    remedy: known.remedy,
    ...(known.data ? { data: known.data } : {}),
  });
}

/** The server ended the connection, or it broke: a new one may do. */
export function isLost(error: unknown): boolean {
  const meaning = meaningOf(error, stateOf(error));
  return meaning !== undefined && meaning.words === LOST.words;
}

/** SQLSTATE or errno; the empty string for anything else. */
export function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function meaningOf(error: unknown, state: string): Meaning | undefined {
  const message = messageOf(error);
  if (state === '' && /^Connection terminated|not queryable|Client was closed/.test(message)) return LOST;
  if (state === '' && /does not support SSL/.test(message)) return PLAIN;
  if (state === '' && /^timeout expired|timeout exceeded/.test(message)) return SLOW;
  return MEANINGS.find(([pattern]) => pattern.test(state))?.[1];
}

/** A host with several addresses fails with one error for each. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
