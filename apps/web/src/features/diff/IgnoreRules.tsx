import { type FormEvent, type ReactNode, useState } from 'react';
import { EyeOff, Plus, SlidersHorizontal, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { Button, Checkbox, Icon, IconButton } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import { setAsStored, useAsStored, useShown } from '../../lib/masking.ts';
import type { DiffAnswer } from '../../lib/api.ts';

interface DiffOptionsProps {
  readonly diff: DiffAnswer;
  /** True when these are not the store's own rules. */
  readonly own: boolean;
  /** True when equal values are shown as well. */
  readonly all: boolean;
  readonly change: (part: { readonly rules?: string[] | undefined; readonly only?: '0' | undefined }) => void;
}

/** How many differences the rules leave out. */
export const hiddenIn = (diff: DiffAnswer): number => diff.ignored.reduce((sum, rule) => sum + rule.count, 0);

/** What of the diff is shown: equal values too, and what its rules hide: counted, shown, removable. */
export function DiffOptions({ diff, own, all, change }: DiffOptionsProps) {
  const isStored = useAsStored();
  const hidden = hiddenIn(diff);
  const rules = diff.ignoreRules;
  const words = hidden === 0 ? 'nothing hidden' : `${formatCount(hidden)} hidden by rules`;
  return (
    <Popover.Root>
      <Popover.Trigger className="btn ghost diff-options" title={`Options: ${words}`} data-testid="diff-options">
        <Icon of={SlidersHorizontal} />
        <span className="diff-options-words">
          <span className="sr-only">Options: </span>
          {words}
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu rules"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Options of the comparison"
        >
          <div className="rules-only">
            <Checkbox
              checked={!all}
              onChange={(only) => change({ only: only ? undefined : '0' })}
              testId="only-changes"
            >
              Only changes
            </Checkbox>
            <Checkbox checked={isStored} onChange={setAsStored} testId="as-stored">
              Escapes as stored
            </Checkbox>
          </div>
          <p className="menu-label">Hidden by rules</p>
          <RuleList
            rules={rules}
            label="New ignore rule"
            none={<p className="rules-none">Every difference is shown.</p>}
            renderNote={(rule) => (
              <span className="small muted end">
                {formatCount(diff.ignored.find((entry) => entry.rule === rule)?.count ?? 0)} hidden
              </span>
            )}
            onChange={(next) => change({ rules: next.length === 0 ? [''] : next })}
          />
          {own && (
            <Button variant="ghost" onClick={() => change({ rules: undefined })}>
              Use the default rules
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
