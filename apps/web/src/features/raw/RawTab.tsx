import { type Address, type CheckpointMeta, findSecrets } from '@checkpoint-inspector/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download, WrapText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useDownload } from '../../components/copy.ts';
import { hashedKey } from '../../lib/queries.ts';
import { Button, LoadingBar, QueryError } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName } from '../../lib/download.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { layoutJson, tryParse } from '../../lib/json.ts';
import { maskedExact, useRevealed, useShownJson } from '../../lib/masking.ts';

/** The stored bytes: size, the first of them, and all as a file. */
export function RawTab({ meta }: { readonly meta: CheckpointMeta }) {
  const raw = useQuery(rawHeadQuery(addressOf(meta), meta.revision));
  const head = raw.data?.head;
  const size = raw.data?.size ?? meta.sizeBytes;
  const revealed = useRevealed();
  const shownJson = useShownJson();
  const [isLaid, setLaid] = useState(false);
  const laid = useMemo(() => head && laidOut(head, size), [head, size]);
  const shown = useMemo(() => head && headText(head, revealed), [head, revealed]);
  const { loading, save } = useDownload(
    () => api.raw(addressOf(meta)),
    fileName(meta.id, 'raw'),
    'The stored bytes could not be read.',
  );
  if (raw.isError) return <QueryError query={raw} title="The stored bytes could not be read." />;
  return (
    <div className="raw-tab" data-testid="raw-tab">
      <LoadingBar active={raw.isFetching} />
      <div className="raw-bar">
        <span>{formatSize(size)}</span>
        <span className="muted">{formatCount(size)} bytes, as stored</span>
        {laid !== undefined && (
          <Button variant="ghost" icon={WrapText} aria-pressed={isLaid} onClick={() => setLaid(!isLaid)}>
            Format
          </Button>
        )}
        <Button
          className="end"
          icon={Download}
          onClick={save}
          disabledReason={loading ? 'It is being read.' : undefined}
        >
          Download
        </Button>
      </div>
      {head && size > head.shown && (
        <p className="raw-note">The first {formatSize(head.shown)} are shown; the download has all.</p>
      )}
      <pre className="raw-text" tabIndex={0} aria-label="Stored bytes">
        {isLaid && laid !== undefined ? shownJson(laid) : shown}
      </pre>
    </div>
  );
}

const LAID_WIDTH = 100;

/** JSON over lines, where all of it is here and it is not laid out already. */
function laidOut(head: RawHead, size: number): string | undefined {
  if (head.kind !== 'text' || size > head.shown || 'error' in tryParse(head.text)) return undefined;
  const laid = layoutJson(head.text, LAID_WIDTH);
  return laid === head.text ? undefined : laid;
}

function headText(head: RawHead, revealed: boolean): string {
  if (head.kind === 'bytes') return hexLines(head.bytes, revealed ? [] : secretBytes(head.bytes));
  return revealed ? head.text : maskedExact(head.text);
}

/** The first of the stored bytes, and how many there are in all. */
const rawHeadQuery = (at: Address, hash?: string) =>
  queryOptions({
    queryKey: [...hashedKey('raw', at, hash), 'head'],
    queryFn: async ({ signal }) => {
      const { head, size } = await api.rawHead(at, HEAD_BYTES, { signal });
      return { head: await rawHead(head, size), size };
    },
    gcTime: 30_000,
  });

// The head of stored bytes: as text where they are text, else as a hex dump.

/** Read of a checkpoint to show its head. */
const HEAD_BYTES = 64 * 1024;
const BYTES_SHOWN = 4 * 1024;
const PER_LINE = 16;

type RawHead =
  | { readonly kind: 'text'; readonly text: string; readonly shown: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly shown: number };

/** `size`: of all the stored bytes, of which `blob` holds the first. */
export async function rawHead(blob: Blob, size = blob.size): Promise<RawHead> {
  const bytes = new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer());
  const text = textOf(bytes, size <= HEAD_BYTES);
  if (text !== undefined) return { kind: 'text', text, shown: bytes.length };
  const head = bytes.slice(0, BYTES_SHOWN);
  return { kind: 'bytes', bytes: head, shown: head.length };
}

/** UTF-8 text without control characters, else undefined. `whole`: no cut character at the end is forgiven. */
export function textOf(bytes: Uint8Array, whole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Places in bytes; `end` is the one after the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Secrets of known shapes in bytes, but for their first characters. */
export function secretBytes(bytes: Uint8Array): Span[] {
  // One character per byte, so that offsets are the same.
  const text = new TextDecoder('latin1').decode(bytes);
  return findSecrets(text).map(({ start, end }) => ({ start: start + HINT, end }));
}

const HINT = 4;

/** Bytes within `hidden` are dots. @example hexLines(new Uint8Array([0x41])) // '00000000  41 …  A' */
export function hexLines(bytes: Uint8Array, hidden: readonly Span[] = []): string {
  const isHidden = (at: number): boolean => hidden.some(({ start, end }) => at >= start && at < end);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const part = Array.from(bytes.subarray(at, at + PER_LINE));
    const hex = part.map((byte, place) => (isHidden(at + place) ? '••' : byte.toString(16).padStart(2, '0'))).join(' ');
    const signs = part.map((byte, place) => (isHidden(at + place) ? '•' : signOf(byte))).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${signs}`);
  }
  return lines.join('\n');
}

const signOf = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.');
