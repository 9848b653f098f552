import { InspectorError } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { Badge, Button, EmptyState, LinkButton, ListRoute } from '../../components/index.ts';
import { api, type Agent } from '../../lib/api.ts';
import { formatCount, formatTime, plural, showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { agentsQuery } from '../../lib/queries.ts';
import { refresh } from '../../lib/refresh.ts';
import { useServerBlock } from '../change/index.tsx';
import './agents.css';

/** Who read, saved and proposed what over MCP, and what each was granted. */
export function AgentsRoute() {
  const query = useQuery(agentsQuery());
  const agents = query.data?.items ?? [];
  return (
    <ListRoute
      title="Agents"
      testId="agents"
      query={query}
      failed="The list of agents could not be read."
      skeleton={[4, 44]}
      said={agents.length > 0 && <span className="muted">{plural(agents.length, 'client')} of MCP</span>}
      tools={
        <LinkButton to="/activity" icon={History}>
          Activity
        </LinkButton>
      }
    >
      {agents.length === 0 ? (
        <EmptyState title="No agent yet" action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          What an agent reads, saves and proposes over MCP is listed here, with what it was granted.
        </EmptyState>
      ) : (
        <div className="agents">
          {agents.map((agent) => (
            <AgentPart key={agent.client} agent={agent} />
          ))}
        </div>
      )}
    </ListRoute>
  );
}

/** More of it is in the API. */
const MAX_SHOWN = 50;
const DID = { read: 'read', save: 'saved to', propose: 'proposed for' } as const;

function AgentPart({ agent: { client, activity, grants } }: { readonly agent: Agent }) {
  const shown = useShown();
  return (
    <section aria-label={shown(client)} data-testid="agent">
      <h2>
        <bdi>{shown(client)}</bdi>
      </h2>
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
      <table>
        <thead>
          <tr>
            <th scope="col">Did</th>
            <th scope="col">What</th>
            <th scope="col">Times</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {activity.slice(0, MAX_SHOWN).map(({ kind, store, task, count, at }) => (
            <tr key={`${kind} ${store} ${task}`}>
              <td>{DID[kind]}</td>
              <td>
                <bdi>
                  {store === undefined ? 'all stores' : shown([store, task && showId(task)].filter(Boolean).join('/'))}
                </bdi>
              </td>
              <td>{formatCount(count)}</td>
              <td>
                <time dateTime={at}>{formatTime(at)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function GrantRow({ grant }: { readonly grant: Agent['grants'][number] }) {
  const client = useQueryClient();
  const shown = useShown();
  const block = useServerBlock();
  const [failure, setFailure] = useState<string>();
  const end = async (): Promise<void> => {
    await api.endGrant(grant.id).catch((error: unknown) => setFailure(InspectorError.from(error).message));
    await refresh(client, ([kind]) => kind === 'agents');
  };
  return (
    <p className="agent-grant" data-testid="grant">
      <Badge>{grant.state}</Badge> <code>{shown(grant.spec)}</code>
      <span className="muted"> given {formatTime(grant.givenAt)}</span>
      {grant.state === 'active' && (
        <Button onClick={() => void end()} disabledReason={block} data-testid="end-grant">
          End
        </Button>
      )}
      {failure !== undefined && <span role="alert">{failure}</span>}
    </p>
  );
}
