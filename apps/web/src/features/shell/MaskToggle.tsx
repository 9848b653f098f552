import { Eye, EyeOff } from 'lucide-react';
import { Icon, Tooltip } from '../../components/index.ts';
import { setRevealed, useRevealed } from '../../lib/masking.ts';

/** Says in every bar whether secrets are hidden, and changes it until the page is left. */
export function MaskToggle() {
  const revealed = useRevealed();
  return (
    <Tooltip
      text={
        revealed
          ? 'Keys, tokens and passwords are shown as they are stored'
          : 'Keys, tokens and passwords of known shapes are hidden'
      }
    >
      <button
        type="button"
        className="btn ghost mask-toggle"
        aria-pressed={revealed}
        onClick={() => setRevealed(!revealed)}
        data-testid="mask-toggle"
      >
        <Icon of={revealed ? Eye : EyeOff} />
        <span className="mask-word">{revealed ? 'Secrets revealed' : 'Secrets masked'}</span>
      </button>
    </Tooltip>
  );
}
