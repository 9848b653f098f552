import { CornerDownRight, Wrench } from 'lucide-react';
import { Badge, Fold, Icon } from '../../components/index.ts';
import { cutMiddle, shownHead } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import type { GivenResult, JoinedCall } from './join.ts';
import { MessageText } from './MessageText.tsx';

export interface Folding {
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

interface CallProps extends Folding {
  readonly id: string;
  readonly call: JoinedCall;
  readonly ids: boolean;
  /** Of its result, beside a call that was there before. */
  readonly isNew: boolean;
}

/** One call of a tool: its name, its arguments folded, and what it gave. */
export function Call({ id, call, ids, isNew, ...folding }: CallProps) {
  const { opened, onToggle } = folding;
  const open = opened.has(id);
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <div className="chat-call" data-testid="tool-call">
      <div className="chat-call-line">
        <Icon of={Wrench} size={12} />
        <Fold
          name={
            <>
              <span className="sr-only">Tool call </span>
              {call.name === '' ? '(no name)' : shown(call.name)}
            </>
          }
          preview={shownHead(shownJson, call.args, 200)}
          open={open}
          onToggle={() => onToggle(id)}
        >
          {call.args === '' ? 'no arguments' : open ? shownJson(layoutJson(call.args, 64)) : ''}
        </Fold>
      </div>
      {ids && call.id !== undefined && <Id name="call" id={call.id} />}
      {call.result === undefined ? (
        <p className="chat-result-none small muted">No result yet.</p>
      ) : (
        <Result id={`${id} result`} result={call.result} isNew={isNew} {...folding} />
      )}
    </div>
  );
}

const SHOWN = 600;

interface ResultProps extends Folding {
  readonly id: string;
  readonly result: GivenResult;
  readonly isNew: boolean;
}

export function Result({ id, result, isNew, opened, onToggle }: ResultProps) {
  return (
    <div className="chat-result" data-new={isNew ? true : undefined} data-testid="tool-result">
      <p className="small muted flex">
        <Icon of={CornerDownRight} size={12} />
        Result{isNew && <Badge tone="accent">new</Badge>}
      </p>
      <MessageText text={result.text} as="plain" most={SHOWN} open={opened.has(id)} onToggle={() => onToggle(id)} />
      {result.text === '' && <p className="muted">empty</p>}
    </div>
  );
}

export function Id({ name, id }: { readonly name: string; readonly id: string }) {
  const shown = useShown();
  return (
    <p className="chat-id muted" title={shown(id)}>
      {name} <span className="data-small">{cutMiddle(shown(id), 48)}</span>
    </p>
  );
}
