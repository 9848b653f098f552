import { type BlobNote, formatPath, type Path, type ValueNote } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Braces, ChevronsDownUp, ChevronsUpDown, Copy, Download, FileDigit } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { copyText, useDownload } from '../../components/copy.ts';
import { blobQuery, MOST_COPIED, type PartSource } from './source.ts';
import {
  Badge,
  FindField,
  Icon,
  IconButton,
  LoadingBar,
  Matches,
  Menu,
  QueryError,
  showToast,
  Skeleton,
} from '../../components/index.ts';
import { fileName, saveFile } from '../../lib/download.ts';
import { cutMiddle, formatSize, plural, shownHead } from '../../lib/format.ts';
import { setAsStored, type Shown, useAsStored, useShown, useShownJson } from '../../lib/masking.ts';
import { askShouldBe } from '../path-history/ask.ts';
import type { Changes } from './changes.ts';
import { Before, ChangeMark } from './Marks.tsx';
import type { KnownRow } from './rows.ts';
import { type Find, useFind } from './use-find.ts';
import { useValueTree, type ValueTreeState } from './use-tree.ts';
import { type Face, ValueTree } from './ValueTree.tsx';
import './value.css';

interface ReadTreeProps {
  readonly source: PartSource;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  /** Said beside the search while nothing is looked for. */
  readonly end: string;
  readonly note?: ReactNode;
  readonly isFetching?: boolean;
  /** Of this checkpoint since its parent, where they are known. */
  readonly changes?: Changes | undefined;
  /** Below, with the count of rows. */
  readonly renderFoot: (rows: number) => ReactNode;
  /** The way out where the state cannot be read. */
  readonly instead: ReactNode;
}

const ROW = 24;

/** A state to read: exact text, opened as far as wanted, with a search. */
export function ReadTree({
  source,
  path,
  onPath,
  end,
  note,
  isFetching = false,
  changes,
  renderFoot,
  instead,
}: ReadTreeProps) {
  const tree = useValueTree(source, path, onPath);
  const find = useFind(source, path, onPath);
  const { root, target } = tree;
  const latest = useRef(onPath);
  latest.current = onPath;
  const focus = useCallback((to: string): void => latest.current(to), []);
  const face = useMemo(
    (): Face => ({
      label: 'State',
      testId: 'state-tree',
      className: 'state-tree',
      rowHeight: ROW,
      rowClass: (at) => clsx(find.matches.has(at) && 'matched', changes?.at(at)?.kind),
      renderCells: (found, { open }) => <Cells source={source} found={found} open={open} changes={changes} />,
      renderActs: (found) => <ValueMenu source={source} found={found} focus={focus} />,
      onCopy: (found) => copyValue(source, found),
    }),
    [source, find.matches, changes, focus],
  );
  if (root.isError) {
    return (
      <QueryError query={root} title="This state could not be read.">
        {instead}
      </QueryError>
    );
  }
  return (
    <div className="state-tab" data-testid="state-tab" data-state={root.data ? 'ready' : 'loading'}>
      <LoadingBar active={isFetching || root.isFetching || find.isSearching} />
      {note}
      <FindBar find={find} end={end} tree={tree} />
      {target.isError && path !== undefined && (
        <p className="state-derived" role="status">
          {target.error.message}
        </p>
      )}
      {root.data === undefined ? (
        <Skeleton rows={12} height={ROW} />
      ) : (
        <ValueTree tree={tree} face={face} onPath={onPath} />
      )}
      <div className="state-foot">{renderFoot(tree.rows.length)}</div>
    </div>
  );
}

interface CellProps {
  readonly source: PartSource;
  readonly found: KnownRow;
}

export function KeyCell({ step }: { readonly step: string | number | undefined }) {
  const shown = useShown();
  if (step === undefined) return null;
  return (
    <span className="state-key">
      {step === '' ? '""' : shown(String(step))}
      <span className="muted">:</span>
    </span>
  );
}

export const countOf = ({ kind, count = 0 }: ValueNote): string => plural(count, kind === 'object' ? 'key' : 'item');

interface CellsProps extends CellProps {
  readonly open: boolean;
  readonly changes: Changes | undefined;
}

function Cells({ source, found, open, changes }: CellsProps) {
  const { note, step, path } = found;
  const item = changes?.at(formatPath(path));
  return (
    <>
      {changes && (
        <ChangeMark
          item={item}
          insideAdded={changes.isInsideAdded(path)}
          inside={open ? 0 : changes.inside(formatPath(path))}
        />
      )}
      <KeyCell step={step} />
      {note.blob ? (
        <Data source={source} found={found} blob={note.blob} />
      ) : (
        <Value note={note} open={open} path={path} />
      )}
      {found.shadowed && (
        <Badge tone="warn" title="This key occurs again in this object; the last one counts">
          duplicate key
        </Badge>
      )}
      <Before item={item} />
    </>
  );
}

const SHOWN = 2000;
const PREVIEW = 140;

interface ValueProps {
  readonly note: ValueNote;
  readonly open: boolean;
  readonly path: Path;
}

/** A scalar as it is written; a container by its beginning, its count and, where it is long, its size. */
export function Value({ note, open, path: steps }: ValueProps) {
  const shown = useShownJson();
  const path = formatPath(steps);
  const { kind, count, text, length, cut } = note;
  if (!count) {
    return (
      <>
        <span className={clsx('state-value cut', kind)}>{shownHead(shown, text, SHOWN, path)}</span>
        {cut && <span className="muted state-size">{formatSize(length)}</span>}
      </>
    );
  }
  const [begin, end] = kind === 'object' ? ['{', '}'] : ['[', ']'];
  const within: Shown = (some) =>
    shown(some, path)
      .slice(1, some.endsWith(end) ? -1 : undefined)
      .trim();
  const inside = shownHead(within, text, PREVIEW);
  return (
    <>
      <span className="muted cut">{open ? begin : `${begin} ${inside} ${end}`}</span>
      <span className="muted state-size">
        {countOf(note)}
        {cut && `, ${formatSize(length)}`}
      </span>
    </>
  );
}

/** The hash of a large one is worked out only once it is in view. */
export function Data({ source, found, blob }: CellProps & { readonly blob: BlobNote }) {
  const path = formatPath(found.path);
  const whole = useQuery({ ...blobQuery(source, path), enabled: blob.hash === undefined && !found.shadowed });
  return (
    <BlobChip
      blob={whole.data ?? blob}
      name={fileName(`${source.name}${path.slice(1)}`, 'data').replace(/\.data$/, '')}
      load={() => source.bytes(path)}
    />
  );
}

const failed = (error: Error): void => showToast({ title: 'The value could not be read.', detail: error.message });

/** The value of a row as stored. */
function copyValue(source: PartSource, { path, note: { length } }: KnownRow): void {
  if (length > MOST_COPIED)
    return showToast({ title: `${formatSize(length)} is too long to copy: download it instead.` });
  const at = formatPath(path);
  void source.value(at).then(async (value) => copyText(await value.text(), 'The value', at), failed);
}

function ValueMenu({ source, found, focus }: CellProps & { readonly focus: (path: string) => void }) {
  const path = formatPath(found.path);
  const { length } = found.note;
  return (
    <span className="state-copy" role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu
        align="end"
        groups={[
          [
            {
              label: 'Copy value',
              disabledReason: length > MOST_COPIED ? `${formatSize(length)}: download it instead.` : undefined,
              onSelect: () => copyValue(source, found),
            },
            { label: 'Copy path', detail: path, onSelect: () => void copyText(path, 'The path') },
            {
              label: 'This should be…',
              onSelect: () => {
                focus(path);
                askShouldBe(path);
              },
            },
            {
              label: 'Download value',
              detail: formatSize(length),
              onSelect: () =>
                void source
                  .value(path)
                  .then((value) => saveFile(value, fileName(`${source.name}${path.slice(1)}`, 'json')), failed),
            },
          ],
        ]}
        trigger={
          <button
            type="button"
            className="btn ghost only-icon"
            aria-label="Copy value or path"
            title="Copy value or path (Ctrl C copies the value)"
          >
            <Icon of={Copy} />
          </button>
        }
      />
    </span>
  );
}

interface FindBarProps {
  readonly find: Find;
  readonly end: string;
  readonly tree: ValueTreeState;
}

function FindBar({ find, end, tree }: FindBarProps) {
  const isStored = useAsStored();
  return (
    <>
      <div className="state-bar">
        <FindField
          label="Find in state"
          value={find.words}
          onChange={find.setWords}
          onStep={find.step}
          className="state-find"
          testId="state-find"
        />
        {find.words === '' ? (
          <span className="small muted end">{end}</span>
        ) : (
          <Matches said={find.error ? find.error.message : find.summary} onStep={find.step} />
        )}
        <IconButton label="Expand all" icon={ChevronsUpDown} onClick={tree.openAll} />
        <IconButton label="Collapse all" icon={ChevronsDownUp} onClick={tree.closeAll} />
        <IconButton
          label="Escapes as stored"
          icon={Braces}
          aria-pressed={isStored}
          onClick={() => setAsStored(!isStored)}
        />
      </div>
      {find.words !== '' && find.match && <Snippet {...find.match} />}
    </>
  );
}

function Snippet({ snippet, from, to, path, in: where }: NonNullable<Find['match']>) {
  const masked = useShownJson()(snippet, where === 'key' ? undefined : path);
  return (
    <p className="value-snippet data-small" data-testid="find-snippet">
      {masked === snippet ? (
        <>
          {snippet.slice(0, from)}
          <mark>{snippet.slice(from, to)}</mark>
          {snippet.slice(to)}
        </>
      ) : (
        masked
      )}
    </p>
  );
}

interface BlobChipProps {
  readonly blob: BlobNote;
  /** Of the file, without extension. */
  readonly name: string;
  readonly load: () => Promise<Blob>;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'text/plain': 'txt',
};

/** Binary data in a string: what it is, how large, its hash, and as a file. It is never shown or run. */
function BlobChip({ blob, name, load }: BlobChipProps) {
  const { mime, bytes, hash } = blob;
  const extension = (mime !== undefined && Object.hasOwn(EXTENSIONS, mime) ? EXTENSIONS[mime] : undefined) ?? 'bin';
  const { loading, save } = useDownload(
    // As plain bytes: nothing opens it by itself.
    async () => new Blob([await load()], { type: 'application/octet-stream' }),
    `${name}.${extension}`,
    'The data could not be read.',
  );
  return (
    <span className="blob-chip" role="presentation" onClick={(event) => event.stopPropagation()}>
      <Icon of={FileDigit} size={12} />
      <span>{mime ?? 'base64'}</span>
      <span className="muted">{formatSize(bytes)}</span>
      {hash !== undefined && (
        <span className="muted data-small" title={`sha256 ${hash}`}>
          {cutMiddle(hash, 12)}
        </span>
      )}
      <button
        type="button"
        className="blob-download"
        onClick={save}
        disabled={loading}
        aria-label={`Download ${formatSize(bytes)}`}
      >
        <Icon of={Download} size={12} />
      </button>
    </span>
  );
}
