import type { LucideIcon } from 'lucide-react';

/** A lucide icon in one of the three sizes of the design: 16, 14 (beside text) or 12. */
export function Icon({ of: Shape, size = 14 }: { readonly of: LucideIcon; readonly size?: 12 | 14 | 16 | 20 }) {
  return <Shape className="icon" size={size} strokeWidth={size >= 16 ? 1.9 : 2} aria-hidden="true" />;
}
