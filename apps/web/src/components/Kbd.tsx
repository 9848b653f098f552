import type { ReactNode } from 'react';

/** A key. Decoration beside a control that has its own name. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return <kbd aria-hidden="true">{children}</kbd>;
}
