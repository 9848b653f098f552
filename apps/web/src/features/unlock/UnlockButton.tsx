import { KeyRound } from 'lucide-react';
import { Button } from '../../components/index.ts';
import { askUnlock, UNLOCK_WORDS } from './ask.ts';

export function UnlockButton({ store }: { readonly store: string }) {
  return (
    <Button icon={KeyRound} onClick={() => askUnlock(store)} data-testid="unlock">
      {UNLOCK_WORDS}
    </Button>
  );
}
