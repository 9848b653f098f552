import { keepStored, readStored } from '../../lib/signal.ts';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, Icon, IconButton } from '../../components/index.ts';
import { useStage } from './scenes.ts';
import './presenter.css';

const KEY = 'checkpoint-inspector.shown-around';

/** Offered once on the home page of the demo, until it is taken or put away. */
export function ShowAround() {
  const stage = useStage();
  const [gone, setGone] = useState(() => readStored(KEY) !== null);
  if (!stage.demo || gone || stage.number !== undefined) return null;
  const putAway = (): void => {
    setGone(true);
    keepStored(KEY, '1');
  };
  const begin = (): void => {
    putAway();
    stage.go(1);
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
