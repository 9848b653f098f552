/** Each token with what it does; pressing one puts it into the field. */
const TOKENS = [
  { token: 'timeout retry', does: 'Both words, in one value or its path' },
  { token: '"API timeout"', does: 'Exactly these words' },
  { token: 'revenue.CompanyB:4200', does: 'This value at this path; a number counts as a whole' },
  { token: '$.context.cache:true', does: 'The path from its beginning' },
  { token: '-retry', does: 'Not with this word, or without what a token says' },
  { token: 'status:failed', does: 'running, completed, failed, interrupted, pending, unknown' },
  { token: 'trigger:error', does: 'auto, manual, error, input, update, fork, restore, edit' },
  { token: 'agent:researcher', does: 'Also task: store: system: with a part of the name' },
  { token: '>10MB', does: 'Larger than; <1kB smaller than' },
  { token: 'after:2026-01-31', does: 'Saved since then; before: earlier. Times are UTC' },
] as const;

interface SearchHelpProps {
  readonly onPick: (token: string) => void;
}

export function SearchHelp({ onPick }: SearchHelpProps) {
  return (
    <section className="search-help" aria-label="What can be searched for" data-testid="search-help">
      <p className="muted">Finds values, keys and step names in every state of the open stores.</p>
      <ul>
        {TOKENS.map(({ token, does }) => (
          <li key={token}>
            <button type="button" className="search-token data-small" onClick={() => onPick(token)}>
              {token}
            </button>
            <span className="second">{does}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
