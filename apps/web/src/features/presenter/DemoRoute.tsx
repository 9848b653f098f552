import { Play, RotateCcw } from 'lucide-react';
import { Button, EmptyState } from '../../components/index.ts';
import { useTitle } from '../../lib/hooks.ts';
import { LAST_SCENE } from '../../lib/presenting.ts';
import { Notes } from './PresenterBar.tsx';
import { SCENES, useStage } from './scenes.ts';
import './presenter.css';

export function DemoRoute() {
  const stage = useStage();
  useTitle('Demo');
  if (!stage.demo) {
    return (
      <EmptyState>
        The scenes need the demo stores. Start them with <code>checkpoint-inspector --demo</code>.
      </EmptyState>
    );
  }
  return (
    <section className="page demo-page" aria-label="Demo" data-testid="demo">
      <header className="demo-head">
        <h1 className="page-title">The story in seven scenes</h1>
        <p className="muted">
          About six minutes. Page Down moves on and Page Up goes back, so a presentation remote works. Nothing here is
          real data.
        </p>
        <div className="row-of-controls">
          <Button variant="primary" icon={Play} onClick={() => stage.go(1)}>
            Begin
          </Button>
          <Button
            icon={RotateCcw}
            disabledReason={stage.resetting ? 'The demo is being reset.' : undefined}
            onClick={stage.reset}
          >
            Reset the demo
          </Button>
        </div>
      </header>
      <ol className="demo-scenes">
        {SCENES.map((scene, index) => (
          <li key={scene.title} className="demo-scene">
            <span className="demo-number">
              {index + 1}
              <span className="sr-only"> of {LAST_SCENE}</span>
            </span>
            <div>
              <h2>{scene.title}</h2>
              <p className="second">{scene.say}</p>
              <Notes scene={scene} />
            </div>
            <Button aria-label={`Show scene ${index + 1}, ${scene.title}`} onClick={() => stage.go(index + 1)}>
              Show
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}
