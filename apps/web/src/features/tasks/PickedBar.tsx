import { Link } from '@tanstack/react-router';
import { Columns2 } from 'lucide-react';
import { Button, Icon, Kbd } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { taskKey } from './order.ts';
import { comparison, wordsOf, type Picked } from './picked.ts';

/** What is selected, and what can be done with it: at the foot, so that no row moves. */
export function PickedBar({ picked: { tasks, clear } }: { readonly picked: Picked }) {
  const to = comparison(tasks);
  return (
    <footer className="tasks-foot picked-bar" aria-label="Selected tasks" data-testid="picked-bar">
      <b className="picked-words">{wordsOf(tasks)}</b>
      {tasks.map((task, at) => (
        <span key={taskKey(task)} className="picked-name cut">
          <b className="data">{'AB'[at]}</b> {showId(task.title)}
        </span>
      ))}
      <span className="end" />
      <Button onClick={clear} kbd="Esc">
        Clear
      </Button>
      {to && (
        <Link {...to} className="btn primary">
          <Icon of={Columns2} />
          Compare runs
          <Kbd>c</Kbd>
        </Link>
      )}
    </footer>
  );
}
