import type { StoreInfo } from '@checkpoint-inspector/core';
import { EyeOff, Plus, X } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { Button, Icon, IconButton } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import { changeSettings, type Settings } from '../../lib/settings.ts';

interface IgnoreDefaultsProps {
  readonly systems: readonly string[];
  readonly stores: readonly StoreInfo[];
  readonly ignore: Settings['ignore'];
}

/** Rules of the reader's own, by system; each diff shows them and lets them be taken out. */
export function IgnoreDefaults({ systems, stores, ignore }: IgnoreDefaultsProps) {
  const set = (system: string, rules: readonly string[]): void => {
    const { [system]: _, ...others } = ignore;
    changeSettings({ ignore: rules.length === 0 ? others : { ...others, [system]: [...rules] } });
  };
  return (
    <>
      <p className="small muted">
        Added to the rules that each system brings. A comparison lists all of them and lets you take any out.
      </p>
      {systems.length === 0 && <p className="muted">No store is open.</p>}
      {systems.map((system) => (
        <SystemRules
          key={system}
          system={system}
          own={Object.hasOwn(ignore, system) ? (ignore[system] ?? []) : []}
          brought={[...new Set(stores.filter((one) => one.system === system).flatMap((one) => one.volatilePaths))]}
          onChange={(rules) => set(system, rules)}
        />
      ))}
    </>
  );
}

interface SystemRulesProps {
  readonly system: string;
  readonly own: readonly string[];
  readonly brought: readonly string[];
  readonly onChange: (rules: readonly string[]) => void;
}

function SystemRules({ system, own, brought, onChange }: SystemRulesProps) {
  const [draft, setDraft] = useState('');
  const shown = useShown();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const text = draft.trim();
    const rule = text.startsWith('$') ? text : `$.${text}`;
    setDraft('');
    if (text !== '' && !own.includes(rule)) onChange([...own, rule]);
  };
  return (
    <section className="settings-rules" data-system={system}>
      <h3>{system}</h3>
      {brought.length > 0 && (
        <p className="small muted">
          Brought by the system: <span className="data-small">{brought.join('  ')}</span>
        </p>
      )}
      <ul>
        {own.map((rule) => (
          <li key={rule}>
            <Icon of={EyeOff} />
            <code>{shown(rule)}</code>
            <IconButton
              label={`Remove rule ${shown(rule)}`}
              icon={X}
              onClick={() => onChange(own.filter((other) => other !== rule))}
            />
          </li>
        ))}
      </ul>
      <form onSubmit={add}>
        <span className="field">
          <input
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            placeholder="$.path, * for any key"
            aria-label={`New ignore rule for ${system}`}
            spellCheck={false}
            autoComplete="off"
          />
        </span>
        <Button type="submit" icon={Plus}>
          Add
        </Button>
      </form>
    </section>
  );
}
