import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play, RotateCcw } from 'lucide-react';
import * as z from 'zod/mini';
import { Button, EmptyState, LoadingBar, QueryError } from '../../components/index.ts';
import { formatSize } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { authorisedFetch } from '../../lib/http.ts';
import { LAST_SCENE } from '../../lib/presenting.ts';
import { newestFailed, sentencesOf } from './dialogue.ts';
import { Notes } from './PresenterBar.tsx';
import { SCENES, useStage } from './scenes.ts';
import './presenter.css';

const SESSION = { store: 'research-db', sessionId: 'competitor-revenue' };

const LIST: ToolCall = { name: 'checkpoint_list', arguments: { ...SESSION, limit: 40 } };

interface Called {
  readonly call: ToolCall;
  readonly answer: string;
}

/** As another agent would: which checkpoint failed, then why. */
async function askWhy(signal: AbortSignal): Promise<readonly Called[]> {
  const list = await callTool(LIST, signal);
  const failed = newestFailed(list);
  const call = { name: 'diagnose', arguments: failed === undefined ? SESSION : { ...SESSION, checkpointId: failed } };
  return [
    { call: LIST, answer: list },
    { call, answer: await callTool(call, signal) },
  ];
}

/** The question of the demo as a dialogue: what an agent calls, what really came back, and what that says. */
export function AskRoute() {
  useTitle('Ask through MCP');
  const asked = useQuery({ queryKey: ['mcp', SESSION], queryFn: ({ signal }) => askWhy(signal), gcTime: 0 });
  const answer = asked.data?.at(-1)?.answer;
  return (
    <section className="page ask-page" aria-label="Ask through MCP" data-testid="ask">
      <LoadingBar active={asked.isFetching} />
      <h1 className="page-title">Why did competitor-revenue fail?</h1>
      <QueryError query={asked} />
      {asked.data?.map((called) => (
        <CallDetails key={called.call.name} {...called} />
      ))}
      {answer !== undefined && <AskAnswer text={answer} />}
      <p className="small muted">
        The answer is put together from the diagnosis alone. No model is asked, and nothing leaves this machine.
      </p>
    </section>
  );
}

/** Folded: what was called and how much came back; both in full when it is opened. */
function CallDetails({ call, answer }: Called) {
  const shown = useShown();
  return (
    <details className="ask-call" data-testid="ask-call">
      <summary>
        <code>{call.name}</code> <span className="muted">{formatSize(answer.length)} of JSON came back</span>
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

function AskAnswer({ text }: { readonly text: string }) {
  const shown = useShown();
  const params = { store: SESSION.store, task: SESSION.sessionId };
  return (
    <p className="ask-answer" data-testid="ask-answer">
      {sentencesOf(text).map((parts, at) => (
        <span key={at}>
          {parts.map((part, place) =>
            typeof part === 'string' ? (
              shown(part)
            ) : (
              <Link key={place} className="link" to="/t/$store/$task" params={params} search={part.search}>
                {shown(part.text)}
              </Link>
            ),
          )}{' '}
        </span>
      ))}
    </p>
  );
}

// One tool call over MCP, as another agent makes it.

interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const resultSchema = z.object({
  result: z.object({
    isError: z.optional(z.boolean()),
    content: z.array(z.object({ type: z.string(), text: z.optional(z.string()) })),
  }),
});

const PROTOCOL = '2025-06-18';

/**
 * Begins a session, calls the tool, ends the session.
 * @returns the text of the answer, exactly as the agent gets it
 * @throws InspectorError; Error when the answer is none of MCP
 */
export async function callTool(call: ToolCall, signal: AbortSignal): Promise<string> {
  const session = await begin(signal);
  try {
    const answer: unknown = await (await post({ id: 2, method: 'tools/call', params: call }, session, signal)).json();
    return resultSchema
      .parse(answer)
      .result.content.map(({ text }) => text ?? '')
      .join('\n');
  } finally {
    void authorisedFetch('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': session } }).catch(() => undefined);
  }
}

async function begin(signal: AbortSignal): Promise<string> {
  const clientInfo = { name: 'checkpoint-inspector-page', version: '1' };
  const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const answer = await post({ id: 1, method: 'initialize', params }, undefined, signal);
  const session = answer.headers.get('mcp-session-id');
  if (session === null) throw new Error('The server began no MCP session.');
  await post({ method: 'notifications/initialized' }, session, signal);
  return session;
}

function post(message: object, session: string | undefined, signal: AbortSignal): Promise<Response> {
  return authorisedFetch('/mcp', {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

export function DemoRoute() {
  const stage = useStage();
  useTitle('Demo');
  if (!stage.demo) {
    return (
      <EmptyState>
        The scenes need the demo stores. Start them with <code>checkpoint-inspector --demo</code>.
      </EmptyState>
    );
  }
  return (
    <section className="page demo-page" aria-label="Demo" data-testid="demo">
      <header className="demo-head">
        <h1 className="page-title">The story in seven scenes</h1>
        <p className="muted">
          About six minutes. Page down goes on, page up goes back, so a remote control works. Nothing here is real data.
        </p>
        <div className="row-of-controls">
          <Button variant="primary" icon={Play} onClick={() => stage.go(1)}>
            Begin
          </Button>
          <Button
            icon={RotateCcw}
            disabledReason={stage.resetting ? 'The demo is being reset.' : undefined}
            onClick={stage.reset}
          >
            Reset the demo
          </Button>
        </div>
      </header>
      <ol className="demo-scenes">
        {SCENES.map((scene, index) => (
          <li key={scene.title} className="demo-scene">
            <span className="demo-number">
              {index + 1}
              <span className="sr-only"> of {LAST_SCENE}</span>
            </span>
            <div>
              <h2>{scene.title}</h2>
              <p className="second">{scene.say}</p>
              <Notes scene={scene} />
            </div>
            <Button aria-label={`Show scene ${index + 1}, ${scene.title}`} onClick={() => stage.go(index + 1)}>
              Show
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}
