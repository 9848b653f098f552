import { Dialog, Kbd } from '../../components/index.ts';
import { KEY_GROUPS } from './keySheet.ts';

export function KeySheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title="Keys" testId="key-sheet">
      <div className="key-sheet">
        {KEY_GROUPS.map((group) => (
          <section key={group.title}>
            <h3 className="label">{group.title}</h3>
            <dl>
              {group.lines.map((line) => (
                <div key={line.does} className="key-line">
                  <dt>
                    {line.keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                    <span className="sr-only">{line.keys.join(' ')}</span>
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
