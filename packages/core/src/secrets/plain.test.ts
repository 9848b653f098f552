import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, findSecrets, findSecretsInJson } from '../index.ts';

const HEX = '3f9a0c1d2e5b4a6f7081';
/** What agents write all day, and no secret. */
const ORDINARY: readonly string[] = [
  'id 550e8400-e29b-41d4-a716-446655440000',
  `commit ${HEX}${HEX}`,
  `index ${HEX.slice(0, 7)}..4b825dc 100644`,
  'ULID 01J9ZQ3K5V7X2M4N6P8R0S1T3W',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
  `"integrity": "sha512-${'aB3+'.repeat(21)}=="`,
  `sha256:${HEX}${HEX}${HEX}abcd`,
  'class SecretStrategyFactoryBean extends AbstractFactory',
  '/home/anna/projects/token-service/src/auth/password_reset.py',
  String.raw`C:\Users\anna\secrets\README.md`,
  'sk-fading-circle-dots-loader',
  '.btn-primary--disabled:hover > .sk-cube-grid-animation-wrapper',
  'claude-sonnet-4-5-20250929 and gpt-4.1-mini-2025-04-14',
  'model: "meta-llama/Llama-3.3-70B-Instruct-Turbo"',
  'call_abc123XYZ456def789GHI012',
  'toolu_01A09q90qw90lq917835lq9',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'thread_abc123def456GHI789jkl012',
  'run-7f3c2b1a-9d8e-4f6a-b5c4-d3e2f1a0b9c8-0',
  'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
  '{"created_at":"2025-09-29T12:34:56.789Z","updated":1759149296}',
  'Call +49 30 901820 or (555) 123-4567 before 17:30.',
  'It costs $1,299.00 or 1.199,00 EUR a year.',
  'Bearer authentication-required',
  'WWW-Authenticate: Bearer realm="api", error="invalid_token"',
  'token budget: 4096',
  'max_tokens: 1000, prompt_tokens: 512, total_tokens=1512',
  '{"usage":{"input_tokens":120,"output_tokens":33,"cache_read_input_tokens":0}}',
  'next_page_token: CAESBgoEGgIIAQ',
  'The secretary signs the secret ballot; the key is under the mat.',
  'password reset flow',
  'cookie recipe: flour, sugar and butter',
  'the password: it should be long',
  'Password: must have at least eight characters',
  'def login(user: str, password: str, token: Optional[str] = None):',
  'interface Login { password: string; apiKey?: string; token: string | null }',
  'const token = await getToken(user); if (!token) throw new Error("No token");',
  'password = os.environ["DB_PASSWORD"]',
  'apiKey: process.env.OPENAI_API_KEY,',
  'api_key=${OPENAI_API_KEY}',
  'connect(host=host, user=user, password=password)',
  'this.password = password;',
  'Authorization: Bearer <your token>',
  'Authorization: Bearer $TOKEN',
  '"Authorization": `Bearer ${token}`',
  'PWD=/home/anna/work',
  'fetch(url, { credentials: "include", cache: "no-store" })',
  'SELECT id, password_hash FROM users WHERE token_type = 2',
  'tokenizer.pad_token = tokenizer.eos_token',
  'eos_token: "</s>", bos_token: "<s>"',
  '{"token":"the","logprob":-0.12,"bytes":[116,104,101]}',
  '{"key":"theme","value":"dark"}',
  'primary_key: user_id, cache_key: users-list-page-2',
  'git push origin feature/api-key-rotation-2025',
  'npm install @aws-sdk/credential-providers@3.700.0',
  'npm_config_registry and hf_hub_download are names of things',
  'https://registry.npmjs.org/react/-/react-19.0.0.tgz',
  'https://acme.com/search?q=password+manager&page=2&sort=key',
  'http://localhost:3000/users/@me',
  'Das Passwort wurde geändert. Le mot de passe est trop court.',
  '密码必须至少八个字符。 Пароль слишком короткий.',
  '{"name":"get_weather","arguments":"{\\"city\\":\\"Berlin\\",\\"unit\\":\\"celsius\\"}"}',
  '{"role":"user","content":"Where do I find my API key?"}',
  '{"type":"object","properties":{"password":{"type":"string","minLength":8}},"required":["password"]}',
  'ERROR 401 invalid_api_key: Incorrect API key provided.',
  'exit code: 127, status code: 404, error code: E1234',
  'step-3-run-12: 4 of 17 tasks done',
  'The quick brown fox. Lorem ipsum dolor sit amet, consectetur.',
  'password: ********',
  'secret: [REDACTED]',
  'Basic authentication is deprecated since version 2.',
];

describe('ordinary texts', () => {
  it('are shown, nineteen of twenty at least', () => {
    expect(ORDINARY.length).toBeGreaterThanOrEqual(60);
    const { text, json } = createMasker();
    const hidden = ORDINARY.filter((one) =>
      [one, JSON.stringify({ note: one })].some((it) => text(it) !== it || json(it) !== it),
    );
    expect(hidden.length, hidden.join('\n')).toBeLessThanOrEqual(ORDINARY.length * 0.05);
  });
});

describe('the masker', () => {
  const KEY = `ghp_${'a1B2'.repeat(9)}`;

  it('tells secrets apart by a suffix, which is the same however they are spelled', () => {
    const suffixes: string[] = [];
    const { text, json, found } = createMasker({ suffix: (secret) => (suffixes.push(secret), '7f3') });
    expect(text(`a ${KEY}`)).toBe('a ghp_••••#7f3');
    expect(json(JSON.stringify({ a: KEY }).replace('ghp', String.raw`\u0067hp`))).toBe(
      String.raw`{"a":"\u0067hp_••••#7f3"}`,
    );
    expect(text('https://a.b/?x=ghp%5F' + KEY.slice(4))).toBe('https://a.b/?x=ghp%5F••••#7f3');
    expect(new Set(suffixes)).toEqual(new Set([KEY]));
    expect(found()).toEqual([{ name: 'GitHub token', count: 1 }]);
  });

  it('shows everything where it is told to, and counts', () => {
    const { json, found } = createMasker({ reveal: true });
    expect(json('{"pin":4711}')).toBe('{"pin":4711}');
    expect(found()).toEqual([{ name: 'PIN', count: 1 }]);
  });

  it.each([
    ['{"pin": 4711, "tries": 3}', '{"pin": "••••", "tries": 3}'],
    [String.raw`{"password":"a\"b\\","x":1}`, '{"password":"••••","x":1}'],
    [
      '{"secrets":{"A":"one","B":["two"],"type":"opaque"},"a":"b"}',
      '{"secrets":{"A":"••••","B":["••••"],"type":"opaque"},"a":"b"}',
    ],
    ['{"name":"DB_PASSWORD","value":"x1y2"}', '{"name":"DB_PASSWORD","value":"••••"}'],
    [`{"${KEY}":1}`, '{"ghp_••••":1}'],
    [`{"a":"b","password":"hunt`, '{"a":"b","password":"••••'],
    ["{'password': 'hunter2'}", "{'password': '••••'}"],
    [
      '{"password":null,"secret":"","apiKey":"${KEY}","token":true}',
      '{"password":null,"secret":"","apiKey":"${KEY}","token":true}',
    ],
  ])('masks by the names of members: %s', (json, masked) => {
    expect(createMasker().json(json)).toBe(masked);
  });

  it('follows the rules of its owner', () => {
    const masked = (rules: object, json: string) => createMasker({ rules }).json(json);
    expect(masked({ hide: ['INT-\\d+'] }, '{"a":"see INT-42"}')).toBe('{"a":"see ••••"}');
    expect(masked({ safe: ['pin'] }, '{"pin":4711,"password":"x"}')).toBe('{"pin":4711,"password":"••••"}');
    expect(masked({ safe: ['$.a'] }, '{"a":{"pin":4711},"b":{"pin":4711}}')).toBe(
      '{"a":{"pin":4711},"b":{"pin":"••••"}}',
    );
    expect(masked({ safe: ['$.l[*].pin'] }, '{"l":[{"pin":4711}]}')).toBe('{"l":[{"pin":4711}]}');
    expect(createMasker({ rules: { safe: ['password'] } }).text('password=hunter2')).toBe('password=hunter2');
    expect(() => createMasker({ rules: { hide: ['('] } }).text('a')).toThrow(/valid regular expression/);
  });

  const strings = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      'password',
      'pin',
      'api_key',
      'cookie',
      'a=b; c=d',
      `Bearer ${KEY}`,
      'postgres://a:b1c@d/e',
      'DB_PASSWORD=x1y2',
      '••••',
      'a "q" \\ b',
    ),
  );
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      strings,
      fc.integer(),
      fc.constantFrom(null, true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(strings, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const shape = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== 'object' || value === null) return 0;
    return Object.values(value).map(shape);
  };

  it('leaves valid JSON valid and of equal shape, and masks nothing twice', () => {
    fc.assert(
      fc.property(values, fc.boolean(), (value, isPretty) => {
        const json = JSON.stringify(value, undefined, isPretty ? 2 : 0);
        const { json: mask, text } = createMasker({ suffix: () => '7f3' });
        const masked = mask(json);
        expect(masked.includes(KEY)).toBe(false);
        expect(mask(masked)).toBe(masked);
        expect(JSON.stringify(JSON.parse(masked)).length).toBeGreaterThan(0);
        expect(text(text(json))).toBe(text(json));
        for (const spans of [findSecrets(json), findSecretsInJson(json)])
          spans.forEach(({ start, end }, at) =>
            expect([start < end, start >= (spans[at - 1]?.end ?? 0)]).toEqual([true, true]),
          );
        if (
          !json.includes('"__proto__"') &&
          new Set(masked.match(/"[^"]*"(?=: ?)/g)).size === (masked.match(/"[^"]*"(?=: ?)/g) ?? []).length
        )
          expect(shape(JSON.parse(masked))).toEqual(shape(JSON.parse(json)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the time that masking takes', () => {
  const PARTS = [
    '://',
    '-eyJaaaa',
    '"password":',
    'password="',
    'sk-',
    '%3D',
    'a',
    '[',
    '{"a":',
    'x\n',
    'token: ',
    'Bearer ',
    'Cookie: a=b\n',
    '\\"',
    'M-',
    'key ',
  ];

  it.each(PARTS)('grows as the text: %j', (part) => {
    const work = (size: number) => {
      const { text, json } = createMasker();
      text(text(part.repeat(size)));
      json(json(part.repeat(size)));
    };
    expect(growth(work, 16_000)).toBeLessThan(LINEAR);
  });

  const ORDINARY =
    '{"id":"call_abc123","role":"user","content":"What changed in the file?","env":"DB_PASSWORD=hunter2"},';

  it.each([ORDINARY, '%3D', 'token: ', 'A_TOKEN=abc1\n', 'Cookie: a=b\n', '"password":', '\\"', '{"pin":4711},'])(
    'is a few seconds for 8 MB at most, masked and searched again: %j',
    (part) => {
      const long = part.repeat(8_000_000 / part.length);
      const { text } = createMasker({ suffix: () => '7f3' });
      const before = process.cpuUsage();
      expect(text(text(long))).not.toMatch(/hunter2|=abc1|=b|4711/);
      const { user, system } = process.cpuUsage(before);
      // At most three on a busy machine.
      expect((user + system) / 1e6).toBeLessThan(5);
    },
    60_000,
  );
});
