import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { Copy, EyeOff, X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { Badge, cutId, IconButton, KeptRoom, LineageMark, Pairs, useAwaited } from '../../components/index.ts';
import { useFocusedPart } from '../../features/value/use-focused-part.ts';
import { BranchHistory } from '../../features/path-history/BranchHistory.tsx';
import { copyText } from '../../components/copy.ts';
import { refOf } from '../../lib/address.ts';
import { formatCount, formatSize, SAVED_WORDS, showId, stepNumber, usedText } from '../../lib/format.ts';
import { kindOf, layoutJson } from '../../lib/json.ts';
import { NotesSection } from '../../features/notes/NotesSection.tsx';
import { TaskUsage } from '../../features/usage/TaskUsage.tsx';
import { isMaskedNow, useShown, useShownJson } from '../../lib/masking.ts';
import type { Workbench } from '../../features/workbench/use-workbench.ts';

interface InspectorProps {
  readonly bench: Workbench;
  readonly onClose?: (() => void) | undefined;
}

export function Inspector({ bench, onClose }: InspectorProps) {
  const { meta, path } = bench;
  return (
    <aside
      className="pane side inspector"
      aria-label="Inspector"
      data-testid="inspector"
      data-state={meta ? 'ready' : 'empty'}
    >
      <div className="pane-head">
        {path === undefined ? <h2>Inspector</h2> : <PathHead path={path} />}
        {onClose && <IconButton className="end head-button" label="Close" icon={X} onClick={onClose} />}
      </div>
      <div className="pane-body">
        {meta && (
          <KeptRoom
            below={
              <>
                {bench.view !== 'meta' && <Provenance bench={bench} meta={meta} />}
                <NotesSection meta={meta} onWriting={() => bench.select(refOf(meta))} />
                <TaskUsage store={meta.store} task={meta.taskId} />
              </>
            }
          >
            {path === undefined ? (
              <Hint bench={bench} />
            ) : (
              <Focused bench={bench} meta={meta} path={path} onLeave={onClose} />
            )}
          </KeptRoom>
        )}
      </div>
    </aside>
  );
}

/** Without a path in the address the first change is looked at, so there is nothing to choose until that is known. */
function Hint({ bench }: { readonly bench: Workbench }) {
  const { view, diff, settled, awaitsBase } = bench;
  const isAwaited = !settled || (view === 'changes' && (awaitsBase || diff.isLoading));
  useAwaited(isAwaited);
  if (isAwaited || view === 'meta') return null;
  return (
    <p className="inspector-hint muted">
      Choose a change or a value to see all of it. <span className="key-hint">n goes to the next change.</span>
    </p>
  );
}

/** The path, cut at the front where it does not fit. */
function PathHead({ path: stored }: { readonly path: string }) {
  const path = useShown()(stored);
  const at = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['));
  const [front, last] =
    at <= 0
      ? ['', path]
      : [path.slice(0, at + (path[at] === '.' ? 1 : 0)), path.slice(at + (path[at] === '.' ? 1 : 0))];
  return (
    <>
      <h2 className="inspector-path data-small" title={path}>
        <bdi>
          {front}
          <b>{last}</b>
        </bdi>
      </h2>
      <IconButton className="end" label="Copy path" icon={Copy} onClick={() => void copyText(stored, 'The path')} />
    </>
  );
}

/** The difference at this path, else the value in the state. */
function useFocused(bench: Workbench, meta: CheckpointMeta, path: string) {
  const { view, diff, settled, awaitsBase } = bench;
  const item = diff.data?.items.find((one) => one.path === path);
  const isCompared = view !== 'changes' || !(awaitsBase || diff.isLoading);
  const part = useFocusedPart(meta, path, settled && isCompared && item?.after === undefined);
  if (item?.after !== undefined || item?.kind === 'removed')
    return { item, text: item.after, more: undefined, isReading: false };
  return { item, ...part, isReading: part.isReading || !settled || !isCompared };
}

/** A value in large letters breaks after a sign between words, never inside a word. */
const breakable = (text: string): ReactNode =>
  text.split(/(?<=[\s_\-/.,:;])/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));

const BIG = 18;
const SHOWN = 4000;
const WAS_SHOWN = 40;

interface MetaProps {
  readonly bench: Workbench;
  readonly meta: CheckpointMeta;
}

interface FocusedProps extends MetaProps {
  readonly path: string;
  readonly onLeave: (() => void) | undefined;
}

function Focused({ bench, meta, path, onLeave }: FocusedProps) {
  const found = useFocused(bench, meta, path);
  const { text, more } = found;
  return (
    <>
      <FocusedValue path={path} found={found} />
      <BranchHistory bench={bench} meta={meta} path={path} value={more ? undefined : text} onLeave={onLeave} />
    </>
  );
}

function FocusedValue({ path, found }: { readonly path: string; readonly found: ReturnType<typeof useFocused> }) {
  const { item, text, more, isReading } = found;
  const removed = item?.kind === 'removed';
  const shown = useShownJson();
  const stored = text ?? item?.before;
  useAwaited(isReading);
  if (stored === undefined && isReading) return null;
  if (stored === undefined) {
    return (
      <section className="section muted" data-testid="focused-value">
        This checkpoint has no value at this path.
      </section>
    );
  }
  const kind = kindOf(stored);
  const big = stored.length <= BIG && kind !== 'object' && kind !== 'array';
  const was = item?.before !== undefined && !removed && item.before.length <= WAS_SHOWN ? item.before : undefined;
  const laid = shown(layoutJson(stored, 36), path);
  const masked = isMaskedNow(stored, path);
  return (
    <section className="section" data-testid="focused-value">
      <div className="flex value-line">
        {big && (
          <span className={removed ? 'value-big value-gone' : 'value-big'}>{breakable(shown(stored, path))}</span>
        )}
        <span className="muted">{removed ? `${kind}, removed here` : kind}</span>
        {masked && (
          <Badge icon={EyeOff} title="This value contains a secret. Reveal it with the button in the top bar">
            masked
          </Badge>
        )}
        {was !== undefined && (
          <span className="end small muted cut">
            was <span className="data-small">{shown(was, path)}</span>
          </span>
        )}
        <IconButton
          className={was === undefined ? 'end' : ''}
          label="Copy value"
          icon={Copy}
          onClick={() => (more ? more.copy() : void copyText(stored, 'The value', path))}
        />
      </div>
      {!big && (
        <pre className={removed ? 'value-text value-gone' : 'value-text'} tabIndex={0} aria-label="Whole value">
          {laid.length > SHOWN ? `${laid.slice(0, SHOWN)}…` : laid}
        </pre>
      )}
      {(more !== undefined || laid.length > SHOWN) && (
        <p className="small muted">{formatCount(more?.length ?? laid.length)} characters; Copy copies all of them.</p>
      )}
      {item?.kind === 'moved' && item.from !== undefined && (
        <p className="small muted">
          Moved from <span className="data-small">{shown(item.from)}</span>
        </p>
      )}
    </section>
  );
}

function Provenance({ bench, meta }: MetaProps) {
  useAwaited(!bench.settled);
  const writer = [
    meta.agentId,
    meta.stepIndex === undefined
      ? undefined
      : `step ${meta.stepIndex}${meta.totalSteps === undefined ? '' : ` of ${meta.totalSteps}`}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  return (
    <section className="section">
      <h3 className="label">Provenance</h3>
      <Pairs
        facts={[
          ['Checkpoint', cutId(showId(meta.id), 24)],
          ['Written by', writer === '' ? undefined : showId(writer)],
          ['Saved', meta.trigger && SAVED_WORDS[meta.trigger]],
          ['Used', usedText(meta)],
          ['Size', formatSize(meta.sizeBytes)],
          ['Git', meta.gitCommit && cutId(meta.gitCommit, 16)],
          ['Graph', meta.graphSignature && cutId(meta.graphSignature, 16)],
          ['Revision', meta.revision && cutId(meta.revision, 12)],
          ['Parent', parentOf(bench, meta)],
        ]}
      />
    </section>
  );
}

function parentOf({ parent, history, select }: Workbench, meta: CheckpointMeta): ReactNode {
  const row = parent && history.rows.find(({ id, namespace }) => id === parent.id && namespace === parent.namespace);
  return (
    <span className="flex meta-parent">
      {row ? (
        <button type="button" className="link" onClick={() => select({ ...parent })}>
          {stepNumber(row)}
        </button>
      ) : (
        meta.parentId !== undefined && cutId(showId(meta.parentId), 16)
      )}
      <LineageMark kind={meta.lineage} word />
    </span>
  );
}
