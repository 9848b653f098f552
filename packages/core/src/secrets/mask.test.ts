import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { findSecrets, maskSecrets } from '../index.ts';

const SAMPLES: readonly (readonly [name: string, secret: string])[] = [
  ['Anthropic key', `sk-ant-api03-${'a1B2'.repeat(8)}`],
  ['OpenAI key', `sk-proj-${'a1B2'.repeat(8)}`],
  ['Stripe key', `sk_live_${'a1B2'.repeat(6)}`],
  ['AWS access key', 'AKIAIOSFODNN7EXAMPLE'],
  ['GitHub token', `ghp_${'a1B2'.repeat(9)}`],
  ['GitHub token', `github_pat_${'a1B2'.repeat(10)}`],
  ['GitLab token', `glpat-${'a1B2'.repeat(5)}`],
  ['Google API key', `AIza${'a1B2c'.repeat(7)}`],
  ['Slack token', `xoxb-${'1234-'.repeat(4)}ab`],
  ['npm token', `npm_${'a1B2'.repeat(9)}`],
  ['Hugging Face token', `hf_${'a1B2'.repeat(8)}`],
  ['JSON web token', `eyJ${'hbGci'.repeat(3)}.eyJ${'zdWIi'.repeat(3)}.${'sIg_'.repeat(4)}`],
  ['bearer token', `Bearer ${'a1B2'.repeat(6)}`],
  ['password in a URL', 'postgres://agent:hunter2@'],
  ['private key', '-----BEGIN RSA PRIVATE KEY-----MIIEabc-----END RSA PRIVATE KEY-----'],
];

describe('secrets of known shapes', () => {
  it.each(SAMPLES)('S59 masks: %s', (name, secret) => {
    const text = `{"env":"${secret}","rest":1}`;
    expect(findSecrets(text).map((span) => span.name)).toEqual([name]);
    const masked = maskSecrets(text);
    expect(masked).not.toContain(secret);
    expect(masked.startsWith(`{"env":"${secret.slice(0, 4)}••••••••"`) || name === 'password in a URL').toBe(true);
    expect(masked.endsWith(',"rest":1}')).toBe(true);
  });

  it('leaves texts that only look like one', () => {
    for (const text of ['task-sk-1', 'risk-assessment-of-the-whole-plan', 'AKIA', 'ghp_short', 'https://a.b/c:d@e'])
      expect(maskSecrets(text)).toBe(text);
  });

  it.each(SAMPLES)('masks after an escape in JSON text: %s', (name, secret) => {
    for (const escape of ['\\n', '\\t', '\\u000a', '\\u001b[31;1m']) {
      expect(findSecrets(`{"log":"one${escape}${secret}"}`).map((span) => span.name)).toEqual([name]);
    }
  });

  it('masks several, and those that overlap once', () => {
    const key = `sk-ant-${'x9'.repeat(12)}`;
    expect(maskSecrets(`Bearer ${key} and ${key}`)).toBe('Bear•••••••• and sk-a••••••••');
  });

  it('stays linear on long texts of one kind', () => {
    for (const part of ['sk-', 'eyJ', '-----BEGIN '])
      expect(
        growth((count) => maskSecrets(part.repeat(count)), 64_000),
        part,
      ).toBeLessThan(LINEAR);
  });
});
