import type { Problem } from '@checkpoint-inspector/core';
import { Lock } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { UnlockButton } from './UnlockButton.tsx';
import './unlock.css';

/** Why this checkpoint shows nothing but its facts, and the way in. */
export function LockedNote({ store, problem }: { readonly store: string; readonly problem: Problem }) {
  return (
    <div className="locked-note" role="note" data-testid="locked-note">
      <Icon of={Lock} size={16} />
      <p className="grow">{problem.message}</p>
      <UnlockButton store={store} />
    </div>
  );
}
