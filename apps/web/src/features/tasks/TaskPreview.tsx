import { outcomeOf, refKey, type StoreInfo, type Task, type TaskOutcome } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Clamped, Icon, STATUS_WORDS, StatusIcon } from '../../components/index.ts';
import { checkpointPage, refOf, taskPage } from '../../lib/address.ts';
import { formatAge, formatAgo, showId, stepNumber } from '../../lib/format.ts';
import { useNow, useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { errorsQuery, lastStepsQuery } from '../../lib/queries.ts';
import { AnswerCard } from '../answer/AnswerCard.tsx';
import { LastGoodLink } from '../errors/LastGoodLink.tsx';
import { TaskUsage } from '../usage/TaskUsage.tsx';
import { errorOf, taskFact } from './facts.ts';
import { taskKey } from './order.ts';
import { useRowFacts } from './TaskTable.tsx';

/** Moving through the list asks for nothing on the way. */
const REST_MS = 120;

interface TaskPreviewProps {
  readonly task: Task;
  readonly stores: readonly StoreInfo[];
  /** In place of the answer for the latest checkpoint. */
  readonly answer?: ReactNode;
}

/** Beside a wide list: what is to be known of the selected task before it is opened. It never takes the focus. */
export function TaskPreview({ task: wanted, stores, answer }: TaskPreviewProps) {
  const task = useRested(wanted, REST_MS);
  const now = useNow();
  const shown = useShown();
  const label = stores.find(({ id }) => id === task.store)?.label ?? task.store;
  return (
    <aside className="pane side task-preview" aria-label="Preview" data-testid="task-preview" data-task={task.id}>
      <div className="pane-head">
        <h2 className="cut">{showId(task.title)}</h2>
        <span className="muted cut">
          {label} · {task.system}
        </span>
        {task.updatedAt !== undefined && (
          <time className="small muted end" dateTime={task.updatedAt}>
            {formatAgo(task.updatedAt, now)}
          </time>
        )}
      </div>
      <div className="pane-body">
        <Answer key={taskKey(task)} task={task} shownText={shown} now={now} />
        {answer ?? <LatestAnswer task={task} />}
        <LastSteps task={task} now={now} />
        <TaskUsage store={task.store} task={task.id} />
      </div>
    </aside>
  );
}

interface AnswerProps {
  readonly task: Task;
  readonly shownText: (text: string) => string;
  readonly now: number;
}

/** What happened, in full, and the two things one does next. */
function Answer({ task, shownText, now }: AnswerProps) {
  const { outline, waiting } = useRowFacts()(task);
  const failed = useQuery(errorsQuery())
    .data?.items.flatMap(({ tasks }) => tasks)
    .find((one) => one.store === task.store && one.task === task.id && one.current);
  const { text, about } = taskFact(task, outline, waiting, now);
  const outcome = outcomeOf(task);
  return (
    <section className="task-answer" data-status={outcome}>
      <p className="task-answer-status">
        <StatusIcon status={outcome} /> <b>{STATUS_WORDS[outcome]}</b>
        {about !== undefined && <span className="muted">{shownText(about)}</span>}
      </p>
      {text !== '' && <Clamped className={isBad(outcome) ? 'task-answer-error' : undefined}>{shownText(text)}</Clamped>}
      <p className="row-of-controls">
        <Link className="btn primary" {...taskPage(task.store, task.id)} search={{}}>
          Open
          <Icon of={ArrowRight} />
        </Link>
        {/* The answer below says where there is none. */}
        {failed?.lastNotFailed && (
          <LastGoodLink title={failed.title} before={failed.lastNotFailed} failed={failed.failed} />
        )}
      </p>
    </section>
  );
}

function LastSteps({ task, now }: { readonly task: Task; readonly now: number }) {
  const shown = useShown();
  const steps = useQuery(lastStepsQuery(task.store, task.id)).data?.items ?? [];
  if (steps.length === 0) return null;
  return (
    <section className="section">
      <h3 className="label">Last steps</h3>
      <ol className="task-last-steps">
        {steps.map((row) => (
          <li key={refKey(refOf(row))}>
            <Link {...checkpointPage(row.store, refOf(row))} className="task-last-step">
              <span className="data-small">{stepNumber(row)}</span>
              <StatusIcon status={row.status} size={14} />
              <span className="cut">{shown(row.description ?? row.trigger ?? showId(row.id))}</span>
              <span className="small muted cut">{shown(row.error ?? row.summary ?? '')}</span>
              <span className="small muted number">
                {row.createdAt === undefined ? '' : formatAge(row.createdAt, now)}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

const isBad = (outcome: TaskOutcome): boolean => outcome === 'failed' || outcome === 'check_failed';

/** Of a failed task; the others have nothing to explain. */
function LatestAnswer({ task }: { readonly task: Task }) {
  const { outline } = useRowFacts()(task);
  const { store, id, latestId, latestNamespace } = task;
  if (!isBad(outcomeOf(task)) || latestId === undefined) return null;
  const at = {
    store,
    task: id,
    id: latestId,
    ...(latestNamespace === undefined ? {} : { namespace: latestNamespace }),
  };
  return <AnswerCard at={at} said={errorOf(task, outline)} />;
}
