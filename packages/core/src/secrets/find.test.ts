import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { createMasker, findSecrets, MASK_DOTS, maskSecrets } from '../index.ts';

/** The secret is between the marks; what of it stays visible is before the point. */
const SAMPLES: readonly (readonly [name: string, sample: string])[] = [
  ['Anthropic key', `‹sk-a·nt-api03-${'a1B2'.repeat(8)}›`],
  ['OpenAI key', `‹sk-p·roj-${'a1B2'.repeat(8)}›`],
  ['Stripe key', `‹sk_l·ive_${'a1B2'.repeat(6)}›`],
  ['AWS access key', '‹AKIA·IOSFODNN7EXAMPLE›'],
  ['GitHub token', `‹ghp_·${'a1B2'.repeat(9)}›`],
  ['GitHub token', `‹gith·ub_pat_${'a1B2'.repeat(10)}›`],
  ['GitHub token', '‹ghp_·0123456789abcdefghijABCDEFGHIJ012345›'],
  ['OpenAI key', `‹sk-·${'demo0123456789'.repeat(3)}›`],
  ['Vault token', '‹hvs.·abcdefghijklmnopqrstuvwx›'],
  ['GitLab token', `‹glpa·t-${'a1B2'.repeat(5)}›`],
  ['Google API key', `‹AIza·${'a1B2c'.repeat(7)}›`],
  ['Slack token', `‹xoxb·-${'1234-'.repeat(4)}ab›`],
  ['npm token', `‹npm_·${'a1B2'.repeat(9)}›`],
  ['Hugging Face token', `‹hf_·${'a1B2'.repeat(8)}›`],
  ['JSON web token', `‹eyJ·${'hbGci'.repeat(3)}.eyJ${'zdWIi'.repeat(3)}.${'sIg_'.repeat(4)}›`],
  ['bearer token', `Bearer ‹·${'a1B2'.repeat(6)}›`],
  ['bearer token', `bearer ‹·${'a1B2'.repeat(6)}›`],
  ['password in a URL', 'postgres://agent:‹·hunter2›@db.host:5432/x'],
  ['password in a URL', 'redis://:‹·Rd1sPassw0rd›@db.host:5432/x'],
  ['password in a URL', 'POSTGRES://agent:‹·hunter3pw›@db.host:5432/x'],
  ['password in a URL', 'postgres://agent:‹·pa/ss4word›@db.host:5432/x'],
  ['password in a URL', "postgres://agent:‹·it's5word›@db.host:5432/x"],
  ['password in a URL', 'postgres://agent:‹·p@ss6word›@db.host:5432/x'],
  ['password in a URL', 'postgres://agent:‹·p@ss/7word›@db.host:5432/x'],
  ['password in a URL', String.raw`postgres:\/\/agent:‹·hunter8pw›@db.host:5432/x`],
  ['password in a URL', `https://‹·${'a1B2'.repeat(6)}›@git.host/x`],
  ['Slack token', `‹xapp·-1-A111-222-${'a1B2'.repeat(5)}›`],
  ['private key', '‹----·-BEGIN PGP PRIVATE KEY BLOCK-----lQOYpgp-----END PGP PRIVATE KEY BLOCK-----›'],
  [
    'private key',
    String.raw`‹----·-BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIE\n-----END RSA PRIVATE KEY-----›`,
  ],
  ['private key', '‹----·-BEGIN RSA PRIVATE KEY-----MIIEabc-----END RSA PRIVATE KEY-----›'],
];
const written = (sample: string): string => sample.replace(/[‹·›]/g, '');
const masked = (sample: string): string => sample.replace(/‹(.*?)·.*›/s, `$1${MASK_DOTS}`);

describe('secrets of known shapes', () => {
  it.each(SAMPLES)('S59 masks: %s', (name, sample) => {
    const text = `{"env":"${written(sample)}","rest":1}`;
    expect(findSecrets(text).map((span) => span.name)).toEqual([name]);
    expect(maskSecrets(text)).toBe(`{"env":"${masked(sample)}","rest":1}`);
  });

  it('leaves texts that only look like one', () => {
    for (const text of ['task-sk-1', 'risk-assessment-of-the-whole-plan', 'AKIA', 'ghp_short', 'https://a.b/c:d@e'])
      expect(maskSecrets(text)).toBe(text);
  });

  it.each(SAMPLES)('masks after an escape in JSON text: %s', (name, sample) => {
    for (const escape of ['\\n', '\\t', '\\u000a', '\\u001b[31;1m']) {
      expect(findSecrets(`{"log":"one${escape}${written(sample)}"}`).map((span) => span.name)).toEqual([name]);
    }
  });

  it('masks after an escape of a URL', () => {
    expect(maskSecrets(`https://a.b/c?key%3Dsk-ant-${'a1B2'.repeat(8)}`)).toBe('https://a.b/c?key%3Dsk-a••••');
  });

  it('leaves addresses without a password, and plain English', () => {
    for (const text of [
      'http://localhost:3000/users/@me',
      'http://localhost:3000/users/me@example.com',
      'https://registry.local:443/@types/node and me@example.com',
      'https://a.b/c?mail=me@example.com',
      'http://{host}:{port}/a/b@c',
      'file://C:/Users/me@corp/x',
      'docker://registry:5000/image@sha256',
      "{'a':'http://host:80','mail':'me@example.com'}",
      'the bearer authentication-and-authorization scheme',
      'xapp-development-settings',
      '-----BEGIN CERTIFICATE-----MIIE-----END CERTIFICATE-----',
    ])
      expect(maskSecrets(text)).toBe(text);
  });

  it('leaves what comes after the password as it is', () => {
    expect(maskSecrets('https://me:pass1@registry.local/@scope/name')).toBe(
      'https://me:••••@registry.local/@scope/name',
    );
    expect(maskSecrets('postgres://me:pass1@h/db?mail=me@example.com')).toBe(
      'postgres://me:••••@h/db?mail=me@example.com',
    );
    expect(maskSecrets('{"a":"-----BEGIN PRIVATE KEY-----MII","b":1}')).toBe('{"a":"----••••","b":1}');
  });

  it('masks several, and those that overlap once', () => {
    const key = `sk-ant-${'x9'.repeat(12)}`;
    expect(maskSecrets(`Bearer ${key} and ${key}`)).toBe('Bearer sk-a•••• and sk-a••••');
  });

  it('stays linear on long texts of one kind', () => {
    const key = '-----BEGIN PRIVATE KEY-----';
    const parts = [
      'sk-',
      'eyJ',
      '-----BEGIN ',
      key,
      `${key}-`,
      'ab://c:',
      'ab://c:d/',
      "ab://c:d'e@/",
      'bearer a',
      '%3D',
    ];
    for (const part of parts)
      expect(
        growth((count) => maskSecrets(part.repeat(count)), 64_000),
        part,
      ).toBeLessThan(LINEAR);
  });

  it.each(['Bearer ', 'api_key='])('stays linear where many dots follow %s', (name) =>
    expect(growth((count) => maskSecrets(`${name}${'.'.repeat(count / 32)}- `.repeat(64)), 32_000)).toBeLessThan(
      LINEAR,
    ),
  );

  it.each([
    ['{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":"••••"}'],
    [
      '"args": {"name": "DB_PASSWORD", "value": "hunter2"} was run',
      '"args": {"name": "DB_PASSWORD", "value": "••••"} was run',
    ],
    [
      String.raw`{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"}`,
      String.raw`{\"name\":\"DB_PASSWORD\",\"value\":\"••••\"}`,
    ],
    ['- name: DB_PASSWORD\n  value: hunter2\n', '- name: DB_PASSWORD\n  value: ••••\n'],
    ['{"name":"PORT","value":"hunter2"}', '{"name":"PORT","value":"hunter2"}'],
  ])('goes by the name in a pair: %s', (text, shown) => expect(maskSecrets(text)).toBe(shown));
});

describe('a value that is shown without what is around it', () => {
  const { at } = createMasker();

  it.each([
    ['$.password', '"hunter2"', '"••••"'],
    ['$.password', '"hunt', '"••••'],
    ['$.password', 'my cat, 4', '••••'],
    ['$.user.pin', '4711', '"••••"'],
    ['$.secrets.FOO', '"hunter2"', '"••••"'],
    ['$.api_keys[3]', '"hunter2"', '"••••"'],
    ['$.secrets', '{"FOO":"hunter2","n":[1,2', '{"FOO":"••••","n":[1,2'],
    ['$.n', '4711', '4711'],
    ['$.password.length', '4711', '4711'],
    ['$', '{"pin":4711}', '{"pin":"••••"}'],
  ])('is masked as %s says: %s', (path, stored, shown) => expect(at(path, stored)).toBe(shown));

  it('is as the rules for its path say', () => {
    const { at: ruled } = createMasker({ rules: { safe: ['$.a[*].pin'] } });
    expect([ruled('$.a[7].pin', '4711'), ruled('$.b.pin', '4711')]).toEqual(['4711', '"••••"']);
  });
});
