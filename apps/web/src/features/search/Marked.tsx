interface MarkedProps {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly end: number }[];
}

/** Text with what was searched for marked in it. */
export function Marked({ text, marks }: MarkedProps) {
  const ends = [0, ...marks.map(({ end }) => end)];
  return (
    <>
      {marks.map(({ start, end }, at) => (
        <span key={start}>
          {text.slice(ends[at], start)}
          <mark className="search-mark">{text.slice(start, end)}</mark>
        </span>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}
