import type { Problem } from '@checkpoint-inspector/core';
import { KeyRound, Lock } from 'lucide-react';
import { Button, Icon } from '../../components/index.ts';
import { createSignal } from '../../lib/signal.ts';

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

export function UnlockButton({ store }: { readonly store: string }) {
  return (
    <Button icon={KeyRound} onClick={() => askUnlock(store)} data-testid="unlock">
      {UNLOCK_WORDS}
    </Button>
  );
}

// Which store is being unlocked: one dialog for the whole page, asked for from rows, pages and the palette.

export const UNLOCK_WORDS = 'Unlock for this session…';

const asked = createSignal<string | undefined>(undefined);

/** Opens the dialog for a store; `undefined` closes it. */
export const askUnlock = asked.set;
export const useAskedStore = asked.use;
