import { Link } from '@tanstack/react-router';
import { Dialog } from '../../components/index.ts';
import { useSettings } from '../../lib/settings.ts';
import { KEY_GROUPS, shownKeys } from './key-sheet.ts';
import './overlays.css';

const OFF_WORDS = 'Keys of one character are switched off in the settings.';

export function KeySheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { keys, remap } = useSettings();
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Keys"
      testId="key-sheet"
      footer={
        <>
          <span className="muted">{keys ? 'Off while you type and while a dialog is open.' : OFF_WORDS}</span>
          <Link className="btn end" to="/settings" onClick={onClose}>
            Change keys
          </Link>
        </>
      }
    >
      <div className="key-sheet" tabIndex={0} role="group" aria-label="All keys">
        {KEY_GROUPS.map((group) => (
          <section key={group.title}>
            <h3 className="label">{group.title}</h3>
            <dl>
              {group.lines.map((line) => (
                <div key={line.does} className="key-line">
                  <dt>
                    {shownKeys(line, remap).map((key, place) => (
                      <kbd key={`${place} ${key}`}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{line.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
