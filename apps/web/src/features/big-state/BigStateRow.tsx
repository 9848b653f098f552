import { formatPath, type ValueNote } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Badge, Icon, Menu, showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { copyText } from '../../components/copy.ts';
import { fileName, saveFile } from '../../lib/download.ts';
import { formatCount, formatSize, plural, shownHead } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { BlobChip } from './BlobChip.tsx';
import { PAGE, pageQuery, valueQuery, type StateSeen } from './queries.ts';
import type { BigRow, SlotRow } from './rows.ts';
import { knownChild, type KnownRow } from './use-big-tree.ts';

interface BigStateRowProps {
  readonly seen: StateSeen;
  readonly row: BigRow;
  readonly root: ValueNote | undefined;
  readonly focused: boolean;
  readonly matches: ReadonlySet<string>;
  readonly onToggle: () => void;
  readonly onFocus: () => void;
}

/** A row that only flies past asks for nothing. */
const REST_MS = 40;
const SHOWN = 300;
const PREVIEW = 140;
/** Longer values go to a file, not to the clipboard. */
const MOST_COPIED = 4_000_000;

/** One row; what it shows comes with the page of its siblings. */
export function BigStateRow({ seen, row, root, focused, matches, onToggle, onFocus }: BigStateRowProps) {
  const { found, error } = useKnown(seen, row, root);
  const shown = useShown();
  const path = found && formatPath(found.path);
  const canOpen = row.kind === 'range' || (found !== undefined && !found.shadowed && (found.note.count ?? 0) > 0);
  const press = (): void => {
    onFocus();
    if (canOpen) onToggle();
  };
  return (
    // The tree around it has the keys; the mouse needs the row itself.
    <div
      role="presentation"
      className={clsx('state-row', focused && 'focused', path !== undefined && matches.has(path) && 'matched')}
      style={{ paddingLeft: 12 + Math.min(row.depth, 60) * 16 }}
      onClick={press}
      data-path={path === undefined ? undefined : shown(path)}
      data-state={found || row.kind === 'range' ? 'ready' : error ? 'error' : 'loading'}
    >
      <span className="state-twisty">{canOpen && <Icon of={row.open ? ChevronDown : ChevronRight} size={12} />}</span>
      {row.kind === 'range' && (
        <span className="muted">
          {formatCount(row.from)} … {formatCount(row.to - 1)}
        </span>
      )}
      {row.kind === 'value' && found && <Cells seen={seen} found={found} open={row.open} />}
      {row.kind === 'value' &&
        !found &&
        (error ? <span className="muted">not read: {error.message}</span> : <i className="big-wait" />)}
      {focused && found && <ValueMenu seen={seen} found={found} />}
    </div>
  );
}

function useKnown(
  seen: StateSeen,
  row: BigRow,
  root: ValueNote | undefined,
): { found: KnownRow | undefined; error: Error | null } {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const slot: SlotRow | undefined = row.kind === 'value' ? row : undefined;
  const parent = slot?.parent;
  const query = useQuery({
    ...pageQuery(seen, parent ?? '$', Math.floor((slot?.place ?? 0) / PAGE)),
    enabled: rested && parent !== undefined,
  });
  if (slot === undefined) return { found: undefined, error: null };
  if (parent === undefined) return { found: root && { path: [], note: root }, error: null };
  const child = query.data?.children?.[slot.place % PAGE];
  return { found: child && knownChild(parent, child), error: query.error };
}

function Cells({ seen, found, open }: { readonly seen: StateSeen; readonly found: KnownRow; readonly open: boolean }) {
  const shown = useShown();
  const { note, step } = found;
  return (
    <>
      {step !== undefined && (
        <span className="state-key">
          {step === '' ? '""' : shown(String(step))}
          <span className="muted">:</span>
        </span>
      )}
      {note.blob ? <Data seen={seen} found={found} /> : <Value note={note} open={open} />}
      {found.shadowed && (
        <Badge tone="warn" title="The same key stands again further on in this object; that one counts">
          duplicate key
        </Badge>
      )}
    </>
  );
}

function Value({ note, open }: { readonly note: ValueNote; readonly open: boolean }) {
  const shown = useShown();
  const { kind, count, text, length, cut } = note;
  if (kind !== 'object' && kind !== 'array') {
    return (
      <>
        <span className={clsx('state-value cut', kind)}>{shownHead(shown, text, SHOWN)}</span>
        {cut && <span className="muted state-size">{formatSize(length)}</span>}
      </>
    );
  }
  const [begin, end] = kind === 'object' ? ['{', '}'] : ['[', ']'];
  const inside = count === 0 ? '' : ` ${shownHead(shown, text.slice(1, cut ? undefined : -1).trim(), PREVIEW)} `;
  return (
    <>
      <span className="muted big-count">
        {begin}
        <span className="state-size">
          {plural(count ?? 0, kind === 'object' ? 'key' : 'item')}
          {cut && `, ${formatSize(length)}`}
        </span>
      </span>
      {!open && <span className="muted cut">{`${inside}${end}`}</span>}
    </>
  );
}

/** Data of a cut value has its hash worked out only once it is in view. */
function Data({ seen, found }: { readonly seen: StateSeen; readonly found: KnownRow }) {
  const path = formatPath(found.path);
  const { blob } = found.note;
  const whole = useQuery({ ...valueQuery(seen, path), enabled: blob?.hash === undefined && !found.shadowed });
  if (blob === undefined) return null;
  return (
    <BlobChip
      blob={whole.data?.blob ?? blob}
      name={fileName(`${seen.at.id}${path.slice(1)}`, 'data').replace(/\.data$/, '')}
      load={() => api.value(seen.at, { path, hash: seen.hash, as: 'bytes' })}
    />
  );
}

function ValueMenu({ seen, found }: { readonly seen: StateSeen; readonly found: KnownRow }) {
  const path = formatPath(found.path);
  const load = () => api.value(seen.at, { path, hash: seen.hash });
  const failed = (error: Error): void =>
    void showToast({ title: 'The value could not be read.', detail: error.message });
  const tooLong =
    found.note.length > MOST_COPIED ? `${formatSize(found.note.length)}: download it instead.` : undefined;
  return (
    <span className="state-copy" role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu
        align="end"
        groups={[
          [
            {
              label: 'Copy value',
              disabledReason: tooLong,
              onSelect: () => void load().then(async (value) => copyText(await value.text(), 'The value'), failed),
            },
            { label: 'Copy path', detail: path, onSelect: () => void copyText(path, 'The path') },
            {
              label: 'Download value',
              detail: formatSize(found.note.length),
              onSelect: () =>
                void load().then((value) => saveFile(value, fileName(`${seen.at.id}${path.slice(1)}`, 'json')), failed),
            },
          ],
        ]}
        trigger={
          <button type="button" className="btn ghost only-icon" aria-label="Copy value or path">
            <Icon of={Copy} />
          </button>
        }
      />
    </span>
  );
}
