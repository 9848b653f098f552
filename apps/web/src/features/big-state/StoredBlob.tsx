import { blobDigits, sha256Hex, type BlobNote } from '@checkpoint-inspector/core';
import { useEffect, useState } from 'react';
import { fileName } from '../../lib/download.ts';
import { BlobChip } from './BlobChip.tsx';

/** Larger data has its hash worked out by whoever downloads it. */
const HASHED_BYTES = 4_000_000;

interface StoredBlobProps {
  readonly blob: BlobNote;
  /** The JSON string that holds the data. */
  readonly source: string;
  readonly path: string;
}

/** Data in a state that the page holds: decoded here. */
export function StoredBlob({ blob, source, path }: StoredBlobProps) {
  const [known, setKnown] = useState<{ source: string; hash: string }>();
  useEffect(() => {
    if (blob.bytes > HASHED_BYTES) return undefined;
    let isWanted = true;
    void sha256Hex(bytesOf(source)).then((hash) => isWanted && setKnown({ source, hash }));
    return () => void (isWanted = false);
  }, [blob.bytes, source]);
  const hash = known?.source === source ? { hash: known.hash } : {};
  return (
    <BlobChip
      blob={{ ...blob, ...hash }}
      name={fileName(path.slice(1), 'x').replace(/\.x$/, '')}
      load={() => Promise.resolve(new Blob([bytesOf(source)]))}
    />
  );
}

function bytesOf(source: string): Uint8Array<ArrayBuffer> {
  const digits = blobDigits(source).replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(digits), (letter) => letter.charCodeAt(0));
}
