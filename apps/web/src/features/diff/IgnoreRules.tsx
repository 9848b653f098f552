import { type FormEvent, type ReactNode, useState } from 'react';
import { EyeOff, Plus, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { Button, Icon, IconButton } from '../../components/index.ts';
import { plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { DiffAnswer } from '../../lib/api.ts';

interface IgnoreRulesProps {
  readonly diff: DiffAnswer;
  /** True when these are not the store's own rules. */
  readonly own: boolean;
  readonly change: (part: { readonly rules: string[] | undefined }) => void;
}

/** What the diff leaves out: counted, shown, removable. */
export function IgnoreRules({ diff, own, change }: IgnoreRulesProps) {
  const hidden = diff.ignored.reduce((sum, rule) => sum + rule.count, 0);
  const rules = diff.ignoreRules;
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
          <RuleList
            rules={rules}
            label="New ignore rule"
            none={<p className="rules-none">Every difference is shown.</p>}
            renderNote={(rule) => (
              <span className="small muted end">
                {diff.ignored.find((entry) => entry.rule === rule)?.count ?? 0} hidden
              </span>
            )}
            onChange={(next) => change({ rules: next.length === 0 ? [''] : next })}
          />
          {own && (
            <Button variant="ghost" onClick={() => change({ rules: undefined })}>
              Use the usual rules
            </Button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface RuleListProps {
  readonly rules: readonly string[];
  readonly label: string;
  readonly none?: ReactNode;
  readonly renderNote?: (rule: string) => ReactNode;
  readonly onChange: (rules: string[]) => void;
}

/** Paths that a diff leaves out, with the way to take one out and to add one. */
export function RuleList({ rules, label, none, renderNote, onChange }: RuleListProps) {
  const [draft, setDraft] = useState('');
  const shown = useShown();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const text = draft.trim();
    const rule = text.startsWith('$') ? text : `$.${text}`;
    if (text === '' || rules.includes(rule)) return;
    setDraft('');
    onChange([...rules, rule]);
  };
  return (
    <>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>
            <Icon of={EyeOff} />
            <code className="cut" title={shown(rule)}>
              {shown(rule)}
            </code>
            {renderNote?.(rule)}
            <IconButton
              label={`Remove rule ${shown(rule)}`}
              icon={X}
              onClick={() => onChange(rules.filter((other) => other !== rule))}
            />
          </li>
        ))}
      </ul>
      {rules.length === 0 && none}
      <form onSubmit={add}>
        <span className="field grow">
          <input
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            placeholder="$.path, * for any key"
            aria-label={label}
            spellCheck={false}
            autoComplete="off"
          />
        </span>
        <Button type="submit" icon={Plus}>
          Add
        </Button>
      </form>
    </>
  );
}
