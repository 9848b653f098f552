import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Clock, Columns2, Info, List } from 'lucide-react';
import { Dialog as Drawer } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { NotSaved } from '../../features/answer/NotSaved.tsx';
import { MissingTask, useMissing } from '../../features/gone/MissingTask.tsx';
import { HistoryPane } from '../../features/history/HistoryPane.tsx';
import { useValueKeys } from '../../features/path-history/ask.ts';
import { Timeline } from '../../features/timeline/Timeline.tsx';
import { TasksPane } from '../../features/tasks/TasksPane.tsx';
import { showId } from '../../lib/format.ts';
import { useMedia, useTitle } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePresenting } from '../../lib/presenting.ts';
import { ContentPane } from './ContentPane.tsx';
import { Inspector } from './Inspector.tsx';
import { useCheckpointActions, useWorkbenchKeys } from './use-actions.ts';
import { useWorkbench, type Workbench } from '../../features/workbench/use-workbench.ts';
import { Icon, STATUS_WORDS } from '../../components/index.ts';
import { countOf, listed } from '../../features/tasks/facets.ts';
import { tasksQuery, useTaskTitle } from '../../lib/queries.ts';
import './workbench.css';

/** The main screen: tasks, history, content, inspector; fewer panes where there is less room. */
export function WorkbenchRoute() {
  const bench = useWorkbench();
  const actions = useCheckpointActions(bench);
  useWorkbenchKeys(bench, actions);
  useTitle(showId(useTaskTitle(bench.store, bench.task)));
  const wide = useMedia('(min-width: 1180px)');
  const presenting = usePresenting();
  const withTasks = useMedia('(min-width: 960px)') && !presenting;
  const stacked = useMedia('(max-width: 799px)');
  const [inspecting, setInspecting] = useState(false);
  const isEmpty = !bench.history.list.isPending && bench.history.rows.length === 0;
  const isMissing = useMissing(bench.store, bench.task, isEmpty && bench.search.cp === undefined);
  // A scene is never covered: what is a drawer elsewhere is a column then.
  const docked = !wide && presenting && inspecting;
  useKeys(docked ? { Escape: () => setInspecting(false) } : {});
  useValueKeys(bench.path, () => (stacked ? bench.change({ pane: 'inspector' }) : setInspecting(!wide)));
  const tasks = (
    <TasksPane
      store={bench.store}
      task={bench.task}
      archived={bench.search.archived}
      onArchived={(archived) => bench.change({ archived })}
    />
  );
  const history = <History bench={bench} stacked={stacked} />;
  const content = (
    <ContentPane bench={bench} actions={actions} onInspect={wide || stacked ? undefined : () => setInspecting(true)} />
  );
  if (isMissing) {
    return (
      <div className={withTasks ? 'workbench workbench-missing' : 'workbench'}>
        {withTasks && tasks}
        <MissingTask store={bench.store} task={bench.task} />
      </div>
    );
  }
  if (stacked) {
    const shown = bench.search.pane ?? 'content';
    const panes: Record<PaneName, ReactNode> = { tasks, history, content, inspector: <Inspector bench={bench} /> };
    return (
      <div className="workbench stacked">
        <div className="stacked-pane">{panes[shown]}</div>
        <Timeline bench={bench} slim wide={false} />
        <PaneBar shown={shown} onShow={(pane) => bench.change({ pane })} />
      </div>
    );
  }
  return (
    <div className="workbench-page">
      <div className="workbench-panes">
        <Panes
          tasks={withTasks ? tasks : undefined}
          history={history}
          content={content}
          inspector={
            wide ? (
              <Inspector bench={bench} />
            ) : docked ? (
              <Inspector bench={bench} onClose={() => setInspecting(false)} />
            ) : undefined
          }
        />
      </div>
      <Timeline bench={bench} slim={false} wide={wide} />
      {!wide && !presenting && (
        <Drawer.Root open={inspecting} onOpenChange={setInspecting}>
          <Drawer.Portal>
            <Drawer.Overlay className="scrim" />
            <Drawer.Content
              className="drawer"
              aria-describedby={undefined}
              // A form within closes first.
              onEscapeKeyDown={(event) => {
                if (event.target instanceof Element && event.target.closest('[data-own-escape]') !== null)
                  event.preventDefault();
              }}
            >
              <Drawer.Title className="sr-only">Inspector</Drawer.Title>
              <Inspector bench={bench} onClose={() => setInspecting(false)} />
            </Drawer.Content>
          </Drawer.Portal>
        </Drawer.Root>
      )}
    </div>
  );
}

function History({ bench, stacked }: { readonly bench: Workbench; readonly stacked: boolean }) {
  const { store, task, info, history, base, search, change } = bench;
  const newest = { cp: undefined, ns: undefined };
  return (
    <HistoryPane
      store={store}
      task={task}
      info={info}
      history={history}
      base={bench.pinned ? base : undefined}
      follow={search.follow === '1'}
      onFollow={(follow) => change(follow ? { follow: '1', ...newest } : { follow: undefined })}
      onSelect={(ref) => {
        // A touch opens the checkpoint where one pane is shown at a time.
        if (stacked) change({ cp: ref.id, ns: ref.namespace, follow: undefined, pane: 'content' }, true);
        else bench.select(ref);
      }}
      onPause={(row) => change({ cp: row.id, ns: row.namespace, follow: undefined })}
      onNewest={() => change(newest)}
      above={<NotSaved bench={bench} />}
    />
  );
}

interface PanesProps {
  readonly tasks: ReactNode;
  readonly history: ReactNode;
  readonly content: ReactNode;
  readonly inspector: ReactNode;
}

function Panes({ tasks, history, content, inspector }: PanesProps) {
  const ids = [tasks && 'tasks', 'history', 'content', inspector && 'inspector'].filter(
    (id): id is string => typeof id === 'string',
  );
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({ id: 'checkpoint-inspector.panes', panelIds: ids });
  return (
    <Group
      className="workbench"
      orientation="horizontal"
      {...(defaultLayout ? { defaultLayout } : {})}
      onLayoutChanged={onLayoutChanged}
    >
      {tasks !== undefined && (
        <>
          <Panel id="tasks" defaultSize={240} minSize={180} maxSize={400} groupResizeBehavior="preserve-pixel-size">
            {tasks}
          </Panel>
          <Separator className="splitter" />
        </>
      )}
      <Panel id="history" defaultSize={344} minSize={240} maxSize={560} groupResizeBehavior="preserve-pixel-size">
        {history}
      </Panel>
      <Separator className="splitter" />
      <Panel id="content" minSize={360}>
        {content}
      </Panel>
      {inspector !== undefined && (
        <>
          <Separator className="splitter" />
          <Panel id="inspector" defaultSize={300} minSize={220} maxSize={560} groupResizeBehavior="preserve-pixel-size">
            {inspector}
          </Panel>
        </>
      )}
    </Group>
  );
}

type PaneName = 'tasks' | 'history' | 'content' | 'inspector';

const ENTRIES = [
  { pane: 'tasks', label: 'Tasks', icon: List },
  { pane: 'history', label: 'History', icon: Clock },
  { pane: 'content', label: 'Changes', icon: Columns2 },
  { pane: 'inspector', label: 'Inspect', icon: Info },
] as const;

interface PaneBarProps {
  readonly shown: PaneName;
  readonly onShow: (pane: PaneName) => void;
}

function PaneBar({ shown, onShow }: PaneBarProps) {
  const tasks = listed(useQuery(tasksQuery()).data?.items ?? [], undefined);
  const outcome = countOf(tasks, 'failed') > 0 ? 'failed' : 'check_failed';
  const count = countOf(tasks, outcome);
  return (
    <nav className="pane-bar" aria-label="Panes" data-testid="pane-bar">
      {ENTRIES.map(({ pane, label, icon }) => (
        <button
          key={pane}
          type="button"
          aria-current={pane === shown ? 'page' : undefined}
          onClick={() => onShow(pane)}
        >
          <Icon of={icon} size={20} />
          {label}
          {pane === 'tasks' && count > 0 && (
            <span className={clsx('pane-bar-count', outcome)} title={`${count} ${STATUS_WORDS[outcome].toLowerCase()}`}>
              {count}
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
