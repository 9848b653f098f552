import { keepStored } from '../../lib/signal.ts';
import { useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, Icon, IconButton } from '../../components/index.ts';
import { useScene } from '../../lib/presenting.ts';
import { isOffered, SHOWN_AROUND } from './offered.ts';

/** Offered once on the home page of the demo, until it is taken or put away. */
export function ShowAround() {
  const scene = useScene();
  const router = useRouter();
  const [gone, setGone] = useState(() => !isOffered());
  if (gone || scene !== undefined) return null;
  const putAway = (): void => {
    setGone(true);
    keepStored(SHOWN_AROUND, '1');
  };
  const begin = (): void => {
    putAway();
    void import('./scenes.ts').then(({ showScene }) => showScene(1, (address) => router.history.push(address)));
  };
  return (
    <aside className="show-around" aria-label="Guided start" data-testid="show-around">
      <p>These are sample stores. Seven short scenes show what this is for.</p>
      <Button variant="primary" onClick={begin}>
        Show me around
      </Button>
      <IconButton label="Not now" icon={<Icon of={X} />} onClick={putAway} />
    </aside>
  );
}
