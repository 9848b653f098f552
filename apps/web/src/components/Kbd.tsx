import type { ReactNode } from 'react';
import { useSettings } from '../lib/settings.ts';

/** A key as the settings have it. Decoration beside a control that has its own name; absent while keys are off. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  const { keys, remap } = useSettings();
  if (typeof children !== 'string') return <kbd aria-hidden="true">{children}</kbd>;
  const name = children === 'Del' ? 'Delete' : children;
  if (!keys && !/^(?:Ctrl|↵)/.test(name)) return null;
  return <kbd aria-hidden="true">{Object.hasOwn(remap, name) ? remap[name] : children}</kbd>;
}
