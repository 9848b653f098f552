import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { findInJson, indexJson, maskSecrets, partOf, readableJson } from '../index.ts';
import { wholeSecrets } from './cut.ts';

const BODY = 'Q7xK2mZp9LwT4vRb8NcY'.repeat(4);
const SECRETS: readonly string[] = [
  `sk-ant-api03-${BODY}`,
  `Bearer ${BODY}`,
  `postgres://agent:${BODY}@db`,
  `eyJ${BODY}.eyJ${BODY}.${BODY}`,
  `-----BEGIN RSA PRIVATE KEY-----\\nAB CD\\n${BODY}\\n-----END RSA PRIVATE KEY-----`,
];
const PIECE_OF_BODY = /Q7xK2m|Zp9LwT|4vRb8N/;

describe('pieces of texts with secrets', () => {
  it.each(SECRETS)('hold the secret whole, wherever they begin and end: %s', (secret) => {
    const text = `${'word '.repeat(4)}${secret}${' word'.repeat(4)}`;
    for (let start = 0; start < text.length; start += 3) {
      for (const length of [1, 20, 60]) {
        const piece = { start, end: Math.min(text.length, start + length) };
        const grown = wholeSecrets(text, piece, { start: 0, end: text.length });
        expect(grown.start).toBeLessThanOrEqual(piece.start);
        expect(grown.end).toBeGreaterThanOrEqual(piece.end);
        expect(maskSecrets(text.slice(grown.start, grown.end))).not.toMatch(PIECE_OF_BODY);
      }
    }
  });

  it('stay as they are where no secret is cut', () => {
    const text = `a plain text with ${SECRETS[0]} in it, and more`;
    const piece = { start: 2, end: 10 };
    expect(wholeSecrets(text, piece, { start: 0, end: text.length })).toEqual(piece);
  });

  it.each(SECRETS)('are what a search in a state shows: %s', (secret) => {
    const index = indexJson(`{"log":"${'pad '.repeat(40)}${secret}${' pad'.repeat(40)}"}`);
    for (const words of ['Q7xK', 'LwT4', 'RSA', 'pad Bearer', 'NcYQ']) {
      for (const { snippet } of findInJson(index, { words, limit: 10 }).items)
        expect(maskSecrets(snippet)).not.toMatch(PIECE_OF_BODY);
    }
  });

  it('are what a search shows of a secret that is spelled with escapes', () => {
    const index = indexJson(String.raw`{"log":"${'pad '.repeat(40)}\u0073k-ant-api03-${BODY}"}`);
    const [match] = findInJson(index, { words: BODY.slice(-6), limit: 1 }).items;
    expect(maskSecrets(readableJson(match?.snippet ?? ''))).not.toMatch(PIECE_OF_BODY);
  });

  it.each(SECRETS)('are the beginning of a long value: %s', (secret) => {
    const index = indexJson(`{"log":"pad ${secret}${' pad'.repeat(80)}"}`);
    for (let preview = 1; preview < 300; preview += 1) {
      const part = partOf(index, { path: [], limit: 10, depth: 1, preview });
      for (const { text } of [part, ...(part.children ?? [])]) expect(maskSecrets(text)).not.toMatch(PIECE_OF_BODY);
    }
  });

  it('take time by their length only', () => {
    const took = (count: number) => {
      const text = '-----BEGIN '.repeat(count) + 'x'.repeat(count);
      wholeSecrets(text, { start: text.length - 100, end: text.length - 50 }, { start: 0, end: text.length });
    };
    expect(growth(took, 16_000)).toBeLessThan(LINEAR);
  });
});
