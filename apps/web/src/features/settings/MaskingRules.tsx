import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, ErrorState, QueryError, showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { maskingQuery, statusQuery } from '../../lib/queries.ts';

const FIELDS = [
  ['hide', 'Also mask what matches', 'Regular expressions, one per line'],
  ['safe', 'Never mask these fields by their names', 'Names of fields, one per line'],
] as const;

type Rules = Readonly<Record<(typeof FIELDS)[number][0], readonly string[]>>;

/** The reader's own rules: they hold for the page, the command, exports and agents alike. */
export function MaskingRules() {
  const masking = useQuery(maskingQuery());
  const readOnly = useQuery(statusQuery()).data?.readOnly ?? false;
  if (masking.data === undefined) return <QueryError query={masking} />;
  return <RulesForm key={JSON.stringify(masking.data)} rules={masking.data} readOnly={readOnly} />;
}

function RulesForm({ rules, readOnly }: { readonly rules: Rules; readonly readOnly: boolean }) {
  const [draft, setDraft] = useState({ hide: rules.hide.join('\n'), safe: rules.safe.join('\n') });
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => api.changeMasking({ hide: draft.hide.split('\n'), safe: draft.safe.split('\n') }),
    onSuccess: (saved) => {
      queries.setQueryData(maskingQuery().queryKey, saved);
      showToast({ title: 'The rules for masking are saved.' });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className="settings-masking" onSubmit={submit} data-testid="masking-rules">
      {FIELDS.map(([name, title, how]) => (
        <label key={name}>
          <span>
            {title} <small className="muted">{how}</small>
          </span>
          <textarea
            className="field data-small"
            rows={3}
            value={draft[name]}
            readOnly={readOnly}
            spellCheck={false}
            onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
          />
        </label>
      ))}
      {save.isError && <ErrorState title="The rules were not saved." error={save.error} />}
      <Button type="submit" disabledReason={readOnly ? 'This server was started read-only.' : undefined}>
        Save rules
      </Button>
    </form>
  );
}
