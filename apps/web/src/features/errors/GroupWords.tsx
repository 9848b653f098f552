import { useShown } from '../../lib/masking.ts';

/** A pattern with what differs set apart: `API timeout after ⟨n⟩ s`. */
export function GroupWords({ pattern }: { readonly pattern: string }) {
  const shown = useShown();
  if (pattern === '') return <span className="muted">Failed without a message</span>;
  const parts = shown(pattern).split(/(<(?:n|id|time|text|path|url|mail)>)/);
  return (
    <span className="group-words">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <i key={index} title="Differs from one failure to the next">
            {part.slice(1, -1)}
          </i>
        ) : (
          part
        ),
      )}
    </span>
  );
}
