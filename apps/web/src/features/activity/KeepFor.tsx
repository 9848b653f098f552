import { InspectorError } from '@checkpoint-inspector/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../../components/Button.tsx';
import { api } from '../../lib/api.ts';
import { refresh } from '../../lib/refresh.ts';

/** From when on trash is offered for purging. Nothing is purged by itself. */
export function KeepFor({ days, block }: { readonly days: number; readonly block: string | undefined }) {
  const id = useId();
  const client = useQueryClient();
  const [text, setText] = useState(String(days));
  const keep = useMutation({ mutationFn: (value: number) => api.keepTrash(value), onSuccess: () => refresh(client) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (block === undefined) keep.mutate(Number(text));
  };
  const changed = text.trim() !== String(days);
  return (
    <form className="keep-for" onSubmit={submit}>
      <label htmlFor={id}>Keep for</label>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        value={text}
        autoComplete="off"
        aria-invalid={keep.isError}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="muted">days, then offer for purging</span>
      {changed && (
        <Button type="submit" disabledReason={block}>
          Set
        </Button>
      )}
      {keep.isError && (
        <span role="alert" className="small">
          {InspectorError.from(keep.error).message}
        </span>
      )}
    </form>
  );
}
