import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button, Checkbox, Dialog, ErrorState, QueryError, showToast, Skeleton } from '../../components/index.ts';
import { saveFile } from '../../lib/download.ts';
import { api, type ExportPreview } from '../../lib/api.ts';
import { formatCount, formatSize, plural, showId } from '../../lib/format.ts';
import { shownNow } from '../../lib/masking.ts';
import type { TaskPlace } from '../../lib/address.ts';
import './export.css';

interface ExportDialogProps {
  readonly target: TaskPlace;
  readonly onClose: () => void;
}

const FORMATS: readonly { readonly format: ExportFormat; readonly name: string; readonly says: string }[] = [
  { format: 'html', name: 'Report', says: 'One HTML file to read offline: no network, no script.' },
  {
    format: 'bundle',
    name: 'Bundle',
    says: 'One JSON file with every state as stored, which opens here like a store.',
  },
  { format: 'viewer', name: 'Viewer', says: 'This page with the task in it, as one HTML file: read-only, no network.' },
];

/** Names what will be masked before a file is made. */
export function ExportDialog({ target, onClose }: ExportDialogProps) {
  const { store, task } = target;
  const [format, setFormat] = useState<ExportFormat>('html');
  const [reveal, setReveal] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const preview = useQuery({
    queryKey: ['export', store, task],
    queryFn: ({ signal }) => api.exportPreview(store, task, { signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const make = useMutation({
    mutationFn: () => api.exportTask({ store, task, format, reveal }),
    onSuccess: (content) => {
      const name = fileName(reveal ? task : shownNow(task), format);
      saveFile(content, name);
      showToast({ title: `${name} is in your downloads, ${formatSize(content.size)}.` });
      onClose();
    },
  });
  const waiting = preview.data === undefined ? 'Checking what it would contain…' : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Export ${showId(task)}`}
      size="md"
      initialFocus={cancel}
      locked={make.isPending}
      testId="export-dialog"
      phase={make.isPending ? 'applying' : preview.data === undefined ? 'computing' : 'ready'}
      footer={
        <>
          <span className="grow" />
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" icon={Download} disabledReason={waiting} onClick={() => make.mutate()}>
            {make.isPending ? 'Exporting' : 'Export'}
          </Button>
        </>
      }
    >
      <fieldset className="export-formats">
        <legend className="label">Format</legend>
        {FORMATS.map(({ format: one, name, says }) => (
          <label key={one} className="export-format">
            <input type="radio" name="format" checked={format === one} onChange={() => setFormat(one)} />
            <span>
              {name}
              <small>{says}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {preview.isPending && <Skeleton rows={2} height={28} />}
      <QueryError query={preview} />
      {preview.data && <Content preview={preview.data} reveal={reveal} onReveal={setReveal} />}
      {make.isError && <ErrorState title="The file could not be made." error={make.error} />}
    </Dialog>
  );
}

/** What masking doesn't look for. */
const STAYS =
  'Texts, names and addresses of people, and file paths are in the file as stored, and so is a secret that looks like none.';

interface ContentProps {
  readonly preview: ExportPreview;
  readonly reveal: boolean;
  readonly onReveal: (reveal: boolean) => void;
}

function Content({ preview: { checkpoints, sizeBytes, masked, leftOut }, reveal, onReveal }: ContentProps) {
  return (
    <div className="export-content">
      <p>
        {plural(checkpoints, 'checkpoint')}, {formatSize(sizeBytes)} of state.
      </p>
      {masked.length === 0 ? (
        <p>No known kinds of secrets were found.</p>
      ) : (
        <>
          <p>{reveal ? 'These are included unmasked:' : 'These are masked in the file:'}</p>
          <ul className="export-masked" data-testid="export-masked">
            {masked.map(({ name, count }) => (
              <li key={name}>
                {formatCount(count)} × {name}
              </li>
            ))}
          </ul>
          <Checkbox checked={reveal} onChange={onReveal}>
            Include secrets unmasked
          </Checkbox>
        </>
      )}
      <p className="muted">{STAYS}</p>
      {leftOut.map((sentence) => (
        <p key={sentence} className="muted">
          {sentence}
        </p>
      ))}
    </div>
  );
}

type ExportFormat = 'html' | 'bundle' | 'viewer';

/** A name that every file system takes. @example fileName('a/b', 'html') // 'a-b.html' */
export function fileName(task: string, format: ExportFormat): string {
  const plain = task.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return `${plain.slice(0, 80) || 'task'}.${format === 'bundle' ? 'json' : 'html'}`;
}
