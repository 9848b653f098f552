import { EyeOff, Plus, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { Button, Icon, IconButton } from '../../components/index.ts';
import { plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { DiffAnswer } from '../../lib/api.ts';

interface IgnoreRulesProps {
  readonly diff: DiffAnswer;
  /** True when these are not the store's own rules. */
  readonly own: boolean;
  readonly onChange: (rules: readonly string[] | undefined) => void;
}

/** What the diff leaves out: counted, shown, removable. */
export function IgnoreRules({ diff, own, onChange }: IgnoreRulesProps) {
  const [draft, setDraft] = useState('');
  const shown = useShown();
  const hidden = diff.ignored.reduce((sum, rule) => sum + rule.count, 0);
  const rules = diff.ignoreRules;
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const rule = draft.trim();
    if (rule === '' || rules.includes(rule)) return;
    setDraft('');
    onChange([...rules, rule.startsWith('$') ? rule : `$.${rule}`]);
  };
  return (
    <Popover.Root>
      <Popover.Trigger className="link small muted" data-testid="ignore-rules">
        {rules.length === 0
          ? 'nothing ignored'
          : `${plural(rules.length, 'rule')} ${rules.length === 1 ? 'ignores' : 'ignore'} ${hidden}`}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu rules"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Ignore rules"
        >
          <p className="menu-label">Left out of the comparison</p>
          <ul>
            {rules.map((rule) => (
              <li key={rule}>
                <Icon of={EyeOff} />
                <code className="cut" title={shown(rule)}>
                  {shown(rule)}
                </code>
                <span className="small muted end">
                  {diff.ignored.find((entry) => entry.rule === rule)?.count ?? 0} hidden
                </span>
                <IconButton
                  label={`Remove rule ${shown(rule)}`}
                  icon={X}
                  onClick={() => onChange(rules.filter((other) => other !== rule))}
                />
              </li>
            ))}
          </ul>
          {rules.length === 0 && <p className="rules-none">Every difference is shown.</p>}
          <form onSubmit={add}>
            <span className="field grow">
              <input
                value={draft}
                onChange={(event) => setDraft(event.target.value)}
                placeholder="$.path, * for any key"
                aria-label="New ignore rule"
                spellCheck={false}
              />
            </span>
            <Button type="submit" icon={Plus}>
              Add
            </Button>
          </form>
          {own && (
            <Button variant="ghost" onClick={() => onChange(undefined)}>
              Use the usual rules
            </Button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
