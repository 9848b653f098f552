import { useQuery } from '@tanstack/react-query';
import { Play, RotateCcw } from 'lucide-react';
import * as z from 'zod/mini';
import { Button, EmptyState, LoadingBar, QueryError } from '../../components/index.ts';
import { useTitle } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { authorisedFetch, parseOrUndefined } from '../../lib/http.ts';
import { LAST_SCENE } from '../../lib/presenting.ts';
import { Notes } from './PresenterBar.tsx';
import { SCENES, useStage } from './scenes.ts';
import './presenter.css';

const CALL: ToolCall = {
  name: 'checkpoint_list',
  arguments: { store: 'research-db', sessionId: 'competitor-revenue', limit: 12 },
};

const answerSchema = z.object({
  items: z.array(
    z.looseObject({ id: z.string(), status: z.optional(z.string()), description: z.optional(z.string()) }),
  ),
});

/** The question of the demo, asked as another agent asks it: the call and what really came back. */
export function AskRoute() {
  useTitle('Ask through MCP');
  const shown = useShown();
  const answer = useQuery({ queryKey: ['mcp', CALL], queryFn: ({ signal }) => callTool(CALL, signal), gcTime: 0 });
  return (
    <section className="page ask-page" aria-label="Ask through MCP" data-testid="ask">
      <LoadingBar active={answer.isFetching} />
      <h1 className="page-title">Why did competitor-revenue fail?</h1>
      {answer.data !== undefined && <p className="ask-answer">{shown(inWords(answer.data))}</p>}
      <h2>The call of another agent</h2>
      <pre className="command" tabIndex={0} aria-label="The call">
        {JSON.stringify({ method: 'tools/call', params: CALL }, undefined, 2)}
      </pre>
      <h2>The answer</h2>
      <QueryError query={answer} />
      {answer.data !== undefined && (
        <pre className="command ask-text" tabIndex={0} aria-label="The answer" data-testid="mcp-answer">
          {shown(answer.data)}
        </pre>
      )}
    </section>
  );
}

/** What the answer says, found in it and not known before. */
function inWords(text: string): string {
  const parsed = answerSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return 'The answer is not the one that was expected.';
  const failed = parsed.data.items.find((item) => item.status === 'failed');
  if (failed === undefined) return 'No checkpoint of it failed.';
  return `It failed at ${failed.id}: ${failed.description ?? 'without a word why'}.`;
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
