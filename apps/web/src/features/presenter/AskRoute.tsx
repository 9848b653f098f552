import { formatAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, Clock, EyeOff, Hash, Lock, MessageSquareText, Wrench } from 'lucide-react';
import { type ReactNode } from 'react';
import { Icon, LoadingBar, QueryError } from '../../components/index.ts';
import { formatCount, formatDuration, plural } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { askExport } from '../../lib/signal.ts';
import { fixedOf, maskedIn, newestFailed, type Part, sentencesOf, tokensOf } from './dialogue.ts';
import { callTool, type ToolCall } from './mcp.ts';
import { ReportPane } from './ReportPane.tsx';
import './presenter.css';

const SESSION = { store: 'research-db', sessionId: 'competitor-revenue' };
const TASK = { store: SESSION.store, task: SESSION.sessionId };
const LIST: ToolCall = { name: 'checkpoint_list', arguments: { ...SESSION, limit: 40 } };

interface Called {
  readonly call: ToolCall;
  readonly answer: string;
}

interface Asked {
  readonly calls: readonly Called[];
  readonly list: string;
  readonly explanation: string;
  readonly ms: number;
}

/** As another agent would: which checkpoint failed, then why. */
async function askWhy(signal: AbortSignal): Promise<Asked> {
  const start = performance.now();
  const list = await callTool(LIST, signal);
  const failed = newestFailed(list);
  const at = failed === undefined ? `${TASK.store}/${TASK.task}` : formatAddress({ ...TASK, id: failed });
  const call = { name: 'explain', arguments: { at } };
  const explanation = await callTool(call, signal);
  const calls = [
    { call: LIST, answer: list },
    { call, answer: explanation },
  ];
  return { calls, list, explanation, ms: performance.now() - start };
}

/** What an agent asks, calls and gets, and beside it the report for those who want one file. */
export function AskRoute() {
  useTitle('Ask through MCP');
  useKeys({ 'y e': () => askExport(TASK) });
  const asked = useQuery({ queryKey: ['mcp', SESSION], queryFn: ({ signal }) => askWhy(signal), gcTime: 0 });
  return (
    <div className="ask-page">
      <section className="ask-talk" aria-label="Ask through MCP" tabIndex={0} data-testid="ask">
        <LoadingBar active={asked.isFetching} />
        <p className="ask-label">
          <Icon of={Bot} size={16} /> Debugging agent, over MCP
        </p>
        <h1 className="ask-question">Why did competitor-revenue fail, and which step wrote what?</h1>
        <QueryError query={asked} />
        {asked.data && <Dialogue asked={asked.data} />}
      </section>
      <ReportPane {...TASK} />
    </div>
  );
}

function Dialogue({ asked: { calls, list, explanation, ms } }: { readonly asked: Asked }) {
  const answers = calls.map(({ answer }) => answer);
  const masked = maskedIn(...answers);
  return (
    <>
      <p className="ask-label">
        <Icon of={Wrench} size={16} /> {plural(calls.length, 'call')}, nothing changed
      </p>
      <div className="ask-calls">
        {calls.map((called) => (
          <CallDetails key={called.call.name} {...called} />
        ))}
      </div>
      <p className="ask-label">
        <Icon of={MessageSquareText} size={16} /> Answer
      </p>
      <Sentences of={sentencesOf(explanation)} testId="ask-answer" />
      <h2 className="ask-question">Is it fixed now?</h2>
      <Sentences of={fixedOf(list)} testId="ask-fixed" />
      <ul className="ask-facts">
        <Fact icon={Clock}>{formatDuration(ms)}</Fact>
        <Fact icon={Hash}>about {formatCount(tokensOf(...answers))} tokens read</Fact>
        {masked > 0 && <Fact icon={EyeOff}>{plural(masked, 'secret')} masked</Fact>}
        <Fact icon={Lock}>read only</Fact>
      </ul>
      <p className="small muted">
        The answers come from these calls alone. No model is asked, and nothing leaves this machine.
      </p>
    </>
  );
}

function Fact({ icon, children }: { readonly icon: typeof Clock; readonly children: ReactNode }) {
  return (
    <li>
      <Icon of={icon} /> {children}
    </li>
  );
}

/** Folded: what was called and how much came back; both in full when it is opened. */
function CallDetails({ call, answer }: Called) {
  const shown = useShown();
  return (
    <details className="ask-call" data-testid="ask-call">
      <summary>
        <Icon of={Wrench} /> <code>{call.name}</code> <code className="ask-with">{SESSION.sessionId}</code>
        <span className="muted end">about {formatCount(tokensOf(answer))} tokens</span>
      </summary>
      <pre className="command" tabIndex={0} aria-label={`The call of ${call.name}`}>
        {JSON.stringify({ method: 'tools/call', params: call }, undefined, 2)}
      </pre>
      <pre className="command ask-text" tabIndex={0} aria-label={`The answer of ${call.name}`} data-testid="mcp-answer">
        {shown(answer)}
      </pre>
    </details>
  );
}

function Sentences({ of, testId }: { readonly of: readonly (readonly Part[])[]; readonly testId: string }) {
  const shown = useShown();
  return (
    <p className="ask-answer" data-testid={testId}>
      {of.map((parts, at) => (
        <span key={at}>
          {parts.map((part, place) =>
            typeof part === 'string' ? (
              shown(part)
            ) : (
              <Link key={place} className="link" to="/t/$store/$task" params={TASK} search={part.search}>
                {shown(part.text)}
              </Link>
            ),
          )}{' '}
        </span>
      ))}
    </p>
  );
}
