import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button, showToast } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName, saveFile } from '../../lib/download.ts';

/** The whole state as a file; the page never holds its text. */
export function DownloadState({ meta }: { readonly meta: CheckpointMeta }) {
  const [loading, setLoading] = useState(false);
  const save = (): void => {
    setLoading(true);
    api
      .stateFile(addressOf(meta))
      .then(
        (blob) => saveFile(blob, fileName(meta.id, 'json')),
        (error: Error) => showToast({ title: 'The state could not be read.', detail: error.message }),
      )
      .finally(() => setLoading(false));
  };
  return (
    <Button
      icon={Download}
      onClick={save}
      disabledReason={loading ? 'It is being read.' : undefined}
      data-testid="download-state"
    >
      {loading ? 'Reading…' : 'Download state'}
    </Button>
  );
}
