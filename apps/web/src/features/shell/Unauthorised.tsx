import { type FormEvent, useState } from 'react';
import { Button } from '../../components/index.ts';
import { keepToken } from '../../lib/token.ts';
import { Mark } from './TopBar.tsx';

/** The whole page when there is no valid token: which command prints the link. */
export function Unauthorised() {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() !== '') keepToken(tokenIn(token), 'session');
  };
  return (
    <main className="unauthorised" data-testid="unauthorised">
      <Mark />
      <h1 className="page-title">This page needs its link</h1>
      <p>
        Open the link that the inspector printed when it started: only tabs that are open know it. If you no longer have
        it, start the inspector again in the folder with your stores:
      </p>
      <pre className="command">checkpoint-inspector</pre>
      <p className="muted">
        In a clone of the project the command is <code>npm start</code>. Each start makes a new link, so an older one
        stops working. To keep one token over several starts, set <code>CHECKPOINT_INSPECTOR_TOKEN</code>: other users
        of the machine can read a token given with <code>--token</code> in the process list.
      </p>
      <form onSubmit={submit}>
        <label htmlFor="token">Link or token</label>
        <div className="flex">
          <span className="field grow">
            <input
              id="token"
              type="password"
              autoComplete="off"
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          </span>
          <Button type="submit" variant="primary">
            Open
          </Button>
        </div>
      </form>
    </main>
  );
}

/** The token of a pasted link, or the text itself. */
function tokenIn(text: string): string {
  const hash = text.indexOf('#');
  return new URLSearchParams(hash === -1 ? '' : text.slice(hash + 1)).get('token') ?? text.trim();
}
