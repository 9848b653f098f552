import { expect, it } from 'vitest';
import { isAddress, pathOf, shownAddress } from './target.ts';

it.each(['postgres://db/app', 'env:DATABASE_URL', 'https://host/x', 'postgres+ssl://u:p@h'])(
  'takes %s for an address',
  (text) => {
    expect(isAddress(text)).toBe(true);
  },
);

it.each(['./a.db', '/x/a.sqlite', 'C:\\x', 'env:', 'env:a/b', 'file:///x/a.db', 'a:b', '://x'])(
  'takes %s for a path',
  (text) => {
    expect(isAddress(text)).toBe(false);
  },
);

it.each([
  ['postgres://ann:secret@db.local:5432/app?password=secret', 'postgres://db.local:5432/app'],
  ['postgres://ann:se@cret/x@db/app#secret', 'postgres://db/app'],
  ['postgres://secret', 'postgres://secret'],
  ['db://a:secret@[not a url', 'db://[not a url'],
  ['env:SECRET_NAME', 'env:SECRET_NAME'],
  ['./user@host', './user@host'],
])('shows %s without user and password', (text, shown) => {
  expect(shownAddress(text)).toBe(shown);
});

it('refuses an address where only paths are known, and shows no password', () => {
  const open = () => pathOf({ kind: 'address', url: 'postgres://ann:secret@db/app' });
  expect(open).toThrow(expect.objectContaining({ code: 'unsupported' }));
  expect(open).toThrow(/^[^]*"postgres:\/\/db\/app"/);
  expect(open).not.toThrow(/secret/);
});
