import { expect, it } from 'vitest';
import { expiryText } from './TrashRoute.tsx';

it('says how long it is kept, and that nothing goes by itself', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  expect(expiryText('2026-02-09T12:00:00Z', now)).toBe('kept 30 more days');
  expect(expiryText('2026-01-10T12:00:01Z', now)).toBe('kept 1 more day');
  expect(expiryText('2026-01-10T12:00:00Z', now)).toBe('expired, kept until you purge it');
});
