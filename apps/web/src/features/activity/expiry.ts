/** How long something in the trash is still kept, in words. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** @example expiryText('2026-02-01T00:00:00Z', now) // 'kept 12 more days' */
export function expiryText(expiresAt: string, now: number): string {
  const days = (Date.parse(expiresAt) - now) / DAY_MS;
  if (days <= 0) return 'expired, kept until you purge it';
  const whole = Math.ceil(days);
  return whole === 1 ? 'kept 1 more day' : `kept ${whole} more days`;
}
