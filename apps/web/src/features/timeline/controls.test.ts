import { expect, it } from 'vitest';
import { clockRange } from '../../lib/format.ts';

it('says the day once where it is the same', () => {
  expect(clockRange(['2026-01-01 14:17:02 UTC', '2026-01-01 14:31:44 UTC'])).toBe(
    '2026-01-01 14:17:02 to 14:31:44 UTC',
  );
  expect(clockRange(['2026-01-01 23:59:02 UTC', '2026-01-02 00:00:44 UTC'])).toBe(
    '2026-01-01 23:59:02 UTC to 2026-01-02 00:00:44 UTC',
  );
  expect(clockRange(['2026-01-01 14:17:02 UTC'])).toBe('2026-01-01 14:17:02 UTC');
  expect(clockRange([])).toBe('');
});
