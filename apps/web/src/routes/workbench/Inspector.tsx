import {
  InspectorError,
  parsePath,
  sourceOf,
  valueAt,
  type CheckpointMeta,
  type Difference,
} from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Copy, X } from 'lucide-react';
import { useMemo } from 'react';
import { Badge, IconButton, showToast } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { formatCount } from '../../lib/format.ts';
import { kindOf, layoutJson, tryParse } from '../../lib/json.ts';
import { stateQuery } from '../../lib/queries.ts';
import { Provenance } from './Provenance.tsx';
import type { Workbench } from './useWorkbench.ts';

interface InspectorProps {
  readonly bench: Workbench;
  readonly onClose?: (() => void) | undefined;
}

/** The focused value, and where the checkpoint comes from. */
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
        {meta && path !== undefined && <FocusedValue bench={bench} meta={meta} path={path} />}
        {meta && path === undefined && (
          <p className="inspector-hint muted">
            Choose a change or a value to see it whole. <span className="key-hint">n goes to the next change.</span>
          </p>
        )}
        {meta && <Provenance bench={bench} meta={meta} />}
        {meta && meta.labels.length > 0 && (
          <section className="section">
            <h3 className="label">Labels</h3>
            <span className="row-of-controls">
              {meta.labels.map((label) => (
                <Badge key={label}>{label}</Badge>
              ))}
            </span>
          </section>
        )}
      </div>
    </aside>
  );
}

/** The path, cut at the front where it does not fit. */
function PathHead({ path }: { readonly path: string }) {
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
      <IconButton
        className="end"
        label="Copy path"
        icon={Copy}
        onClick={() =>
          void navigator.clipboard.writeText(path).then(() => showToast({ title: 'The path is on the clipboard.' }))
        }
      />
    </>
  );
}

/** The difference at this path, else the value in the state. */
function useFocused(
  bench: Workbench,
  meta: CheckpointMeta,
  path: string,
): { item: Difference | undefined; text: string | undefined } {
  const { view, diff } = bench;
  const target = addressOf(meta);
  const item = diff.data?.items.find((one) => one.path === path);
  const wanted =
    bench.settled && (view === 'state' || (view === 'changes' && item?.after === undefined && diff.data !== undefined));
  const state = useQuery({ ...stateQuery(target, meta.stateHash), enabled: wanted });
  const text = useMemo(
    () => (state.data === undefined ? undefined : valueText(state.data.text, path)),
    [state.data, path],
  );
  return { item, text: item?.after ?? (item?.kind === 'removed' ? undefined : text) };
}

function valueText(state: string, path: string): string | undefined {
  try {
    const parsed = tryParse(state);
    const node = 'error' in parsed ? undefined : valueAt(state, parsed.node, parsePath(path));
    return node && sourceOf(state, node);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const BIG = 18;
const SHOWN = 4000;
const WAS_SHOWN = 40;

function FocusedValue({
  bench,
  meta,
  path,
}: {
  readonly bench: Workbench;
  readonly meta: CheckpointMeta;
  readonly path: string;
}) {
  const { item, text } = useFocused(bench, meta, path);
  const removed = item?.kind === 'removed';
  const shown = text ?? item?.before;
  if (shown === undefined) {
    return (
      <section className="section muted" data-testid="focused-value">
        This checkpoint has no value at this path.
      </section>
    );
  }
  const kind = kindOf(shown);
  const big = shown.length <= BIG && kind !== 'object' && kind !== 'array';
  const was = item?.before !== undefined && !removed && item.before.length <= WAS_SHOWN ? item.before : undefined;
  const laid = layoutJson(shown, 36);
  return (
    <section className="section" data-testid="focused-value">
      <div className="flex value-line">
        {big && <span className={removed ? 'value-big value-gone' : 'value-big'}>{shown}</span>}
        <span className="muted">{removed ? `${kind}, removed here` : kind}</span>
        {was !== undefined && (
          <span className="end small muted cut">
            was <span className="data-small">{was}</span>
          </span>
        )}
        <IconButton
          className={was === undefined ? 'end' : ''}
          label="Copy value"
          icon={Copy}
          onClick={() =>
            void navigator.clipboard.writeText(shown).then(() => showToast({ title: 'The value is on the clipboard.' }))
          }
        />
      </div>
      {!big && (
        <pre className={removed ? 'value-text value-gone' : 'value-text'} tabIndex={0} aria-label="Whole value">
          {laid.length > SHOWN ? `${laid.slice(0, SHOWN)}…` : laid}
        </pre>
      )}
      {laid.length > SHOWN && <p className="small muted">{formatCount(laid.length)} characters; copy takes all.</p>}
      {item?.kind === 'moved' && item.from !== undefined && (
        <p className="small muted">
          Moved from <span className="data-small">{item.from}</span>
        </p>
      )}
    </section>
  );
}
