import clsx from 'clsx';
import { ArrowLeft, ArrowRight, RotateCcw, StickyNote, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, Icon, IconButton, Kbd } from '../../components/index.ts';
import { FIRST_SCENE, LAST_SCENE } from '../../lib/presenting.ts';
import { type Scene, SCENES, useStage } from './scenes.ts';
import './presenter.css';

/** The calm bar below everything: what is said, and the way on. The keys are those of a remote control. */
export function PresenterBar() {
  const stage = useStage();
  const [notes, setNotes] = useState(false);
  useRemote(stage);
  const { scene, number } = stage;
  if (scene === undefined || number === undefined) return null;
  return (
    <>
      <PointerHalo />
      <aside className="presenter-bar" aria-label="Presenter" data-testid="presenter" data-scene={number}>
        <p className="presenter-count">
          <b>{number}</b> <span className="muted">of {LAST_SCENE}</span>
          <span className="presenter-steps" aria-hidden="true">
            {SCENES.map(({ title }, index) => (
              <i key={title} className={clsx(index < number && 'past', index === number - 1 && 'now')} />
            ))}
          </span>
        </p>
        <div className="presenter-words" aria-live="polite">
          <p className="presenter-title">{scene.title}</p>
          <p>{scene.say}</p>
          {notes && <Notes scene={scene} />}
        </div>
        <Controls stage={stage} scene={scene} number={number} notes={notes} onNotes={() => setNotes(!notes)} />
      </aside>
    </>
  );
}

/** The keys of a remote control lead on wherever the focus is: a list would scroll by them. */
function useRemote({ next, back }: Pick<ReturnType<typeof useStage>, 'next' | 'back'>): void {
  const latest = useRef({ PageDown: next, PageUp: back });
  latest.current = { PageDown: next, PageUp: back };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'PageDown' && event.key !== 'PageUp') return;
      if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current[event.key]();
    };
    window.addEventListener('keydown', press, true);
    return () => window.removeEventListener('keydown', press, true);
  }, []);
}

interface ControlsProps {
  readonly stage: ReturnType<typeof useStage>;
  readonly scene: Scene;
  readonly number: number;
  readonly notes: boolean;
  readonly onNotes: () => void;
}

function Controls({ stage, scene: { also }, number, notes, onNotes }: ControlsProps) {
  return (
    <div className="presenter-controls">
      {also && <Button onClick={() => stage.visit(also.to)}>{also.label}</Button>}
      <Button
        icon={ArrowLeft}
        disabledReason={number === FIRST_SCENE ? 'This is the first scene.' : undefined}
        onClick={stage.back}
      >
        Back
      </Button>
      <Button variant="primary" onClick={stage.next} data-testid="next-scene">
        {number === LAST_SCENE ? 'End' : 'Next'}
        <Icon of={ArrowRight} />
      </Button>
      <span className="presenter-quiet">
        <IconButton
          label="Notes for the presenter"
          icon={<Icon of={StickyNote} />}
          aria-pressed={notes}
          onClick={onNotes}
        />
        <IconButton
          label="Reset the demo"
          icon={<Icon of={RotateCcw} />}
          aria-busy={stage.resetting}
          onClick={stage.reset}
        />
        <IconButton label="End the presentation" icon={<Icon of={X} />} onClick={stage.end} />
      </span>
    </div>
  );
}

export function Notes({ scene }: { readonly scene: Scene }) {
  return (
    <ul className="presenter-notes" data-testid="presenter-notes">
      {scene.keys.map(({ keys, does }) => (
        <li key={does}>
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}{' '}
          {does}
        </li>
      ))}
      {scene.expect.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** A ring around the pointer, so that the last row of the room sees where it is. */
function PointerHalo() {
  const halo = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = ({ clientX, clientY, pointerType }: PointerEvent): void => {
      const { current } = halo;
      if (current === null) return;
      current.hidden = pointerType !== 'mouse';
      current.style.transform = `translate(${clientX}px, ${clientY}px)`;
    };
    const hide = (): void => {
      if (halo.current) halo.current.hidden = true;
    };
    window.addEventListener('pointermove', follow);
    document.addEventListener('mouseleave', hide);
    return () => {
      window.removeEventListener('pointermove', follow);
      document.removeEventListener('mouseleave', hide);
    };
  }, []);
  return <div ref={halo} className="pointer-halo" aria-hidden="true" hidden />;
}
