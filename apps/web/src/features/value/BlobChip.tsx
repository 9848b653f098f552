import type { BlobNote } from '@checkpoint-inspector/core';
import { Download, FileDigit } from 'lucide-react';
import { useState } from 'react';
import { Icon, showToast } from '../../components/index.ts';
import { saveFile } from '../../lib/download.ts';
import { formatSize } from '../../lib/format.ts';
import './value.css';

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
export function BlobChip({ blob, name, load }: BlobChipProps) {
  const [loading, setLoading] = useState(false);
  const { mime, bytes, hash } = blob;
  const extension = (mime !== undefined && Object.hasOwn(EXTENSIONS, mime) ? EXTENSIONS[mime] : undefined) ?? 'bin';
  const save = (): void => {
    setLoading(true);
    load()
      .then(
        // As plain bytes: nothing opens it by itself.
        (data) => saveFile(new Blob([data], { type: 'application/octet-stream' }), `${name}.${extension}`),
        (error: Error) => showToast({ title: 'The data could not be read.', detail: error.message }),
      )
      .finally(() => setLoading(false));
  };
  return (
    <span className="blob-chip" role="presentation" onClick={(event) => event.stopPropagation()}>
      <Icon of={FileDigit} size={12} />
      <span>{mime ?? 'base64'}</span>
      <span className="muted">{formatSize(bytes)}</span>
      {hash !== undefined && (
        <span className="muted data-small" title={`sha256 ${hash}`}>
          {hash.slice(0, 8)}
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
