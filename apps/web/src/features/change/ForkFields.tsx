import { useEffect, useId, useState } from 'react';

export interface ForkInput {
  readonly id: string;
  readonly task: string;
}

interface ForkFieldsProps {
  readonly onChange: (input: ForkInput) => void;
  readonly disabled: boolean;
}

/** After this pause in typing the preview is computed anew. */
const PAUSE_MS = 350;

/** Both may stay empty: the store's rule then names the checkpoint, and the task stays the same. */
export function ForkFields({ onChange, disabled }: ForkFieldsProps) {
  const [id, setId] = useState('');
  const [task, setTask] = useState('');
  const name = useId();

  useEffect(() => {
    const timer = setTimeout(() => onChange({ id: id.trim(), task: task.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [id, task, onChange]);

  return (
    <div className="change-fields">
      <label htmlFor={`${name}-id`}>New id</label>
      <input
        id={`${name}-id`}
        value={id}
        onChange={(event) => setId(event.target.value)}
        disabled={disabled}
        placeholder="by the store's rule"
        autoComplete="off"
        spellCheck={false}
      />
      <label htmlFor={`${name}-task`}>Into task</label>
      <input
        id={`${name}-task`}
        value={task}
        onChange={(event) => setTask(event.target.value)}
        disabled={disabled}
        placeholder="the same"
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
