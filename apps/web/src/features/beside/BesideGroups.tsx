import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { formatCount, formatSize, plural } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown } from '../../lib/masking.ts';
import type { BesideAnswer } from '../../lib/wire.ts';
import { useBeside } from './use-beside.ts';
import './beside.css';

type Write = NonNullable<BesideAnswer['writes']>[number];

/** What is kept beside the state: what runs next, what is asked, and what nodes have written. Nothing where nothing is. */
export function BesideGroups({ meta }: { readonly meta: CheckpointMeta }) {
  const beside = useBeside(meta);
  const shown = useShown();
  if (beside === undefined) return null;
  const { requests, writes = [], moreWrites = 0, next = [] } = beside;
  return (
    <>
      {(next.length > 0 || requests.length > 0) && (
        <section data-testid="beside-next">
          <h3 className="label">Next</h3>
          <dl className="meta-fields">
            {next.length > 0 && (
              <div>
                <dt>Runs next</dt>
                <dd className="data">{shown(next.join(', '))}</dd>
              </div>
            )}
            {requests.map(({ from, id, text, unread }, index) => (
              <div key={`${index} ${id ?? ''}`}>
                <dt>{from === undefined ? 'Asks' : `${shown(from)} asks`}</dt>
                <dd className={unread ? 'muted' : 'data beside-text'}>{shown(unread ? text : layoutJson(text, 60))}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {writes.length > 0 && (
        <section data-testid="beside-writes">
          <h3 className="label">Pending writes</h3>
          <p className="small muted">
            Written by nodes that ran from this checkpoint. They become part of the next checkpoint’s state.
          </p>
          {byTask(writes).map((group) => (
            <TaskWrites key={group.taskId} {...group} />
          ))}
          {moreWrites > 0 && <p className="small muted">And {plural(moreWrites, 'more write')}.</p>}
        </section>
      )}
    </>
  );
}

interface TaskWritesProps {
  readonly taskId: string;
  readonly node: string | undefined;
  readonly writes: readonly Write[];
}

function TaskWrites({ taskId, node, writes }: TaskWritesProps) {
  const shown = useShown();
  return (
    <div className="beside-task">
      <h4 title={`Task ${taskId}`}>
        {node === undefined ? <span className="data-small">{shown(taskId)}</span> : shown(node)}
      </h4>
      <dl className="meta-fields">
        {writes.map(({ channel, text, problem, sizeBytes }, index) => (
          <div key={index}>
            <dt className="data">{shown(channel)}</dt>
            {text === undefined ? (
              <dd className="muted" title={`${formatCount(sizeBytes)} bytes`}>
                {problem} ({formatSize(sizeBytes)})
              </dd>
            ) : (
              <dd className="data beside-text">{shown(layoutJson(text, 60))}</dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  );
}

function byTask(writes: readonly Write[]): TaskWritesProps[] {
  const groups = new Map<string, Write[]>();
  for (const write of writes) {
    const own = groups.get(write.taskId);
    if (own) own.push(write);
    else groups.set(write.taskId, [write]);
  }
  return [...groups].map(([taskId, own]) => ({ taskId, node: own[0]?.node, writes: own }));
}
