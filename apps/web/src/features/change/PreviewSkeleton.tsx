/** The preview's anatomy without its words: same height, so nothing jumps when it arrives. */
export function PreviewSkeleton({ diff }: { readonly diff: boolean }) {
  return (
    <div className="change-skeleton" aria-hidden="true" data-testid="preview-skeleton">
      <div className="change-move">
        <div>
          <i style={{ width: 68 }} />
          <i className="tall" style={{ width: 190 }} />
          <i style={{ width: 150 }} />
        </div>
        <span />
        <div>
          <i style={{ width: 68 }} />
          <i className="tall" style={{ width: 170 }} />
          <i style={{ width: 120 }} />
        </div>
      </div>
      {diff && (
        <div className="change-skeleton-diff">
          {[62, 48, 70, 40, 56].map((width) => (
            <i key={width} style={{ width: `${width}%` }} />
          ))}
        </div>
      )}
      <div className="change-skeleton-plan">
        <i style={{ width: '72%' }} />
        <i style={{ width: '58%' }} />
      </div>
    </div>
  );
}
