/** The mark of the product: a line of checkpoints and a fork. */
export function Mark() {
  return (
    <svg
      className="mark"
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="var(--fg)"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <path d="M6 3v14M6 13c0-4 8-2 8-7" />
      <circle cx="6" cy="4" r="2" fill="var(--bg-side)" />
      <circle cx="6" cy="16" r="2" fill="var(--bg-side)" />
      <circle cx="14" cy="5" r="2.2" fill="var(--accent)" stroke="var(--accent)" />
    </svg>
  );
}
