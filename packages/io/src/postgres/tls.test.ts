import pg from 'pg';
import { expect, it } from 'vitest';
import { postgresAddress } from './address.ts';

const sslOf = (query: string): unknown => {
  const client = new pg.Client({ connectionString: postgresAddress(`postgres://a:b@h/db${query}`).url });
  return Reflect.get(client, 'ssl');
};

it.each([
  ['?sslmode=disable', false],
  ['?sslmode=no-verify', { rejectUnauthorized: false }],
  ...['prefer', 'require', 'verify-ca', 'verify-full'].map((mode): [string, object] => [`?sslmode=${mode}`, {}]),
  ['?sslmode=require&uselibpqcompat=true', { rejectUnauthorized: false }],
  ['?schema=x&sslmode=verify-full', {}],
])('encrypts by %s as %o', (query, ssl) => {
  expect(sslOf(query)).toEqual(ssl);
});

it.each(['requre', 'REQUIRE', 'verify_full'])('refuses sslmode=%s, without a word of the password', (mode) => {
  const open = () => postgresAddress(`postgres://a:secret@h/db?sslmode=${mode}`);
  expect(open).toThrow(
    expect.objectContaining({ code: 'invalid_input', message: expect.not.stringContaining('secret') }),
  );
});
