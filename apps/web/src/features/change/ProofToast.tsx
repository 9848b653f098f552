import type { Receipt } from '@checkpoint-inspector/core';
import { Check, CircleCheck, Copy, TriangleAlert, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { Button, Icon, IconButton, showMessage } from '../../components/index.ts';
import { putOnClipboard } from '../../components/copy.ts';
import { useShown } from '../../lib/masking.ts';
import type { ProofText } from './sentences.ts';
import './change.css';

interface ProofToastProps {
  readonly text: ProofText;
  /** Copied by a person to resume from here. */
  readonly next?: string | undefined;
  readonly undo?: { readonly label: string; readonly run: () => void } | undefined;
  /** Why there is no undo, where there is none. */
  readonly noUndo?: string | undefined;
  readonly onClose: () => void;
}

export function ProofToast({ text, next, undo, noUndo, onClose }: ProofToastProps) {
  const shown = useShown();
  return (
    <div
      className={`proof-toast ${text.tone}`}
      role={text.tone === 'good' ? 'status' : 'alert'}
      data-testid="proof-toast"
    >
      <Icon of={text.tone === 'good' ? CircleCheck : TriangleAlert} size={16} />
      <div className="proof-text">
        <p className="proof-title">{shown(text.title)}</p>
        <p className="proof-evidence">{shown(text.evidence)}</p>
        {next !== undefined && <NextCommand command={next} />}
        {noUndo !== undefined && <p className="proof-evidence">Can't undo: {shown(noUndo)}</p>}
      </div>
      <div className="proof-actions">
        {undo && (
          <Button
            icon={Undo2}
            kbd={undo.label === 'Undo' ? 'z' : undefined}
            onClick={() => {
              onClose();
              undo.run();
            }}
          >
            {undo.label}
          </Button>
        )}
        <IconButton label="Dismiss" icon={X} onClick={onClose} />
      </div>
    </div>
  );
}

function NextCommand({ command }: { readonly command: string }) {
  const [copied, setCopied] = useState(false);
  const shown = useShown();
  const copy = (): void => {
    void putOnClipboard(command).then(setCopied);
  };
  return (
    <button
      type="button"
      className="proof-next"
      onClick={copy}
      aria-label={copied ? 'Copied' : `Copy the command that resumes from here: ${shown(command)}`}
    >
      <code>{shown(command)}</code>
      <Icon of={copied ? Check : Copy} />
    </button>
  );
}

/** Only the newest stays on the screen, until it is dismissed or the next one comes. */
export function showProof(props: Omit<ProofToastProps, 'onClose'>): void {
  showMessage({
    render: (close) => <ProofToast {...props} onClose={close} />,
    durationMs: Number.POSITIVE_INFINITY,
  });
}

export function proofOfReceipt(text: ProofText, receipt: Receipt, undo: () => void): void {
  const undoable = receipt.undoable === true && receipt.undoneBy === undefined;
  showProof({
    text,
    next: receipt.next,
    undo: undoable ? { label: receipt.request.kind === 'undo' ? 'Redo' : 'Undo', run: undo } : undefined,
    noUndo: receipt.undoable === true || receipt.request.kind === 'undo' ? undefined : receipt.undoable,
  });
}
