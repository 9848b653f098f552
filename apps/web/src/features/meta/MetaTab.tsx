import type { CheckpointMeta, StoreInfo } from '@checkpoint-inspector/core';
import { FileWarning } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon, LineageMark, StatusIcon } from '../../components/index.ts';
import {
  SAVED_WORDS,
  formatCount,
  formatDuration,
  formatSize,
  formatTime,
  plural,
  showId,
  formatMoney,
} from '../../lib/format.ts';
import { grouped } from '../../lib/hooks.ts';
import { shownNow, useRevealed, useShown, useShownJson } from '../../lib/masking.ts';
import { layoutJson } from '../../lib/json.ts';
import type { BesideAnswer } from '../../lib/api.ts';
import { useBeside } from '../beside/use-beside.ts';
import '../beside/beside.css';

type Field = readonly [name: string, value: ReactNode];

const data = (text: string): ReactNode => <span className="data">{shownNow(text)}</span>;

const TIME_WORDS: Record<CheckpointMeta['timeBasis'], string> = {
  utc: 'the store, with a time zone',
  local: 'the store, in local time',
  file: 'the file; no time is stored in it',
  none: 'no time is stored',
};

/** Every field of the checkpoint; what is not stored is left out, what could not be read says why. */
export function MetaTab({ meta, info }: { readonly meta: CheckpointMeta; readonly info: StoreInfo | undefined }) {
  // Drawn again when secrets are revealed.
  useRevealed();
  return (
    <div className="meta-tab" data-testid="meta-tab" tabIndex={0} role="group" aria-label="Meta">
      {meta.problem && (
        <div className="meta-problem" role="note">
          <Icon of={FileWarning} size={16} />
          <div>
            <p className="strong">{shownNow(meta.problem.message)}</p>
            <p className="muted">
              {meta.problem.code}
              {meta.problem.offset !== undefined && `, at byte ${formatCount(meta.problem.offset)}`}
            </p>
          </div>
        </div>
      )}
      <FieldGroup title="Checkpoint" fields={identity(meta)} />
      <FieldGroup title="Run" fields={run(meta)} />
      <BesideGroups meta={meta} />
      <FieldGroup title="Time and size" fields={timeAndSize(meta)} />
      <FieldGroup title="Store" fields={storeFields(meta, info)} />
    </div>
  );
}

function FieldGroup({ title, fields }: { readonly title: string; readonly fields: readonly (Field | undefined)[] }) {
  const shown = fields.filter((field) => field !== undefined);
  if (shown.length === 0) return null;
  return (
    <section>
      <h3 className="label">{title}</h3>
      <dl className="meta-fields">
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Leaves the field out where there is no value. */
function field<T>(name: string, value: T | undefined, show: (value: T) => ReactNode): Field | undefined {
  return value === undefined ? undefined : [name, show(value)];
}

const identity = (meta: CheckpointMeta): (Field | undefined)[] => [
  ['Id', data(showId(meta.id))],
  ['Task', data(showId(meta.taskId))],
  field('Namespace', meta.namespace, data),
  field('Parent', meta.parentId, (parent) => (
    <span className="flex meta-parent">
      {data(showId(parent))}
      {meta.parentTaskId !== undefined && <span className="muted">in task {showId(meta.parentTaskId)}</span>}
      <LineageMark kind={meta.lineage} word />
    </span>
  )),
  meta.parentId === undefined
    ? [
        'Parent',
        <span key="none" className="muted">
          none
        </span>,
      ]
    : undefined,
  ['Place in save order', formatCount(meta.seq)],
  field('Revision', meta.revision, data),
  meta.isLatest ? ['Latest', "yes, by the store's rule"] : undefined,
];

const run = (meta: CheckpointMeta): (Field | undefined)[] => [
  ['Status', <StatusIcon key="status" status={meta.status} size={14} word />],
  field('Step', meta.stepIndex, (step) => `${step}${meta.totalSteps === undefined ? '' : ` of ${meta.totalSteps}`}`),
  field('Description', meta.description, shownNow),
  field('Saved', meta.trigger, (trigger) => SAVED_WORDS[trigger]),
  field('Agent', meta.agentId, data),
  field('Duration', meta.durationMs, formatDuration),
  field('Tokens', meta.tokenUsage, formatCount),
  field('Cost', meta.costUsd, formatMoney),
  field('Git commit', meta.gitCommit, data),
  field('Graph signature', meta.graphSignature, data),
  meta.labels.length > 0 ? ['Labels', shownNow(meta.labels.join(', '))] : undefined,
];

const timeAndSize = (meta: CheckpointMeta): (Field | undefined)[] => [
  field('Saved at', meta.createdAt, formatTime),
  field('Time as stored', meta.createdAtText, data),
  ['Time from', TIME_WORDS[meta.timeBasis]],
  ['Size', `${formatSize(meta.sizeBytes)} (${formatCount(meta.sizeBytes)} bytes stored)`],
];

const storeFields = (meta: CheckpointMeta, info: StoreInfo | undefined): (Field | undefined)[] => [
  ['Store', info?.label ?? meta.store],
  field('System', info?.system, (system) => system),
  field('Where', info?.location, data),
  field('Latest by', info?.latestRule, (rule) => rule),
  field('Read from', info?.snapshot, (snapshot) => snapshot),
];

type Write = NonNullable<BesideAnswer['writes']>[number];

/** What is kept beside the state: what runs next, what is asked, and what nodes have written. Nothing where nothing is. */
function BesideGroups({ meta }: { readonly meta: CheckpointMeta }) {
  const beside = useBeside(meta);
  const shown = useShown();
  const shownJson = useShownJson();
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
                <dd className={unread ? 'muted' : 'data beside-text'}>
                  {unread ? shown(text) : shownJson(layoutJson(text, 60))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {writes.length > 0 && (
        <section data-testid="beside-writes">
          <h3 className="label">Pending writes</h3>
          <p className="small muted">
            Written by nodes that ran from this checkpoint. They become part of the next checkpoint's state.
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
  const shownJson = useShownJson();
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
              <dd className="data beside-text">{shownJson(layoutJson(text, 60))}</dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  );
}

function byTask(writes: readonly Write[]): TaskWritesProps[] {
  const groups = grouped(writes, ({ taskId }) => taskId);
  return [...groups].map(([taskId, own]) => ({ taskId, node: own[0]?.node, writes: own }));
}
