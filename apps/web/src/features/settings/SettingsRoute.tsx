import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { changeSettings, setTheme, type Settings, THEMES, useSettings, useTheme } from '../../lib/settings.ts';
import { RuleList } from '../diff/IgnoreRules.tsx';
import { Checkbox } from '../../components/index.ts';
import { useTitle } from '../../lib/hooks.ts';
import { setRevealed } from '../../lib/masking.ts';
import { storesQuery } from '../../lib/queries.ts';
import { KeyTable } from './KeyTable.tsx';
import './settings.css';

/** What the reader has chosen, all of it kept in this browser. */
export function SettingsRoute() {
  const chosen = useSettings();
  const theme = useTheme();
  const stores = useQuery(storesQuery()).data ?? [];
  const systems = [...new Set([...stores.map((store) => store.system), ...Object.keys(chosen.ignore)])].toSorted();
  useTitle('Settings');
  return (
    <section className="settings" aria-label="Settings" data-testid="settings">
      <header>
        <h1 className="page-title">Settings</h1>
        <p className="muted">Kept in this browser only. Nothing of it reaches a store or the server.</p>
      </header>
      <Group title="Look">
        <Choice legend="Theme" value={theme} options={THEMES} onChange={setTheme} />
        <Choice
          legend="Rows"
          value={chosen.density}
          options={[
            ['normal', 'Normal'],
            ['compact', 'Compact'],
          ]}
          onChange={(density) => changeSettings({ density })}
        />
        <Choice
          legend="Times"
          value={chosen.times}
          options={[
            ['utc', 'UTC'],
            ['local', 'The clock of this machine'],
          ]}
          onChange={(times) => changeSettings({ times })}
        />
      </Group>
      <Group title="Secrets">
        <Checkbox
          checked={chosen.masked}
          onChange={(masked) => {
            changeSettings({ masked });
            setRevealed(!masked);
          }}
          testId="setting-masked"
        >
          Mask keys, tokens and passwords of known shapes
        </Checkbox>
        <p className="small muted">
          Only what is shown. Copying takes the text as it is stored; the bar at the top reveals it until the page is
          left.
        </p>
      </Group>
      <Group title="Left out of comparisons">
        <p className="small muted">
          Added to the rules that each system brings. A comparison lists all of them and lets you take any out.
        </p>
        {systems.length === 0 && <p className="muted">No store is open.</p>}
        {systems.map((system) => (
          <SystemRules key={system} system={system} ignore={chosen.ignore} />
        ))}
      </Group>
      <Group title="Keys">
        <Checkbox checked={chosen.keys} onChange={(keys) => changeSettings({ keys })} testId="setting-keys">
          Keys of one character, and sequences such as g t
        </Checkbox>
        <p className="small muted">
          Without them arrows, Enter, Escape and those with Ctrl stay. Everything has a control on the screen as well.
        </p>
        <KeyTable on={chosen.keys} remap={chosen.remap} />
      </Group>
    </section>
  );
}

interface SystemRulesProps {
  readonly system: string;
  readonly ignore: Settings['ignore'];
}

/** Rules of the reader's own; each diff shows them and lets them be taken out. */
function SystemRules({ system, ignore }: SystemRulesProps) {
  const stores = useQuery(storesQuery()).data ?? [];
  const brought = new Set(stores.filter((one) => one.system === system).flatMap((one) => one.volatilePaths));
  const own = Object.hasOwn(ignore, system) ? (ignore[system] ?? []) : [];
  const change = (rules: string[]): void => {
    const { [system]: _, ...others } = ignore;
    changeSettings({ ignore: rules.length === 0 ? others : { ...others, [system]: rules } });
  };
  return (
    <section className="settings-rules" data-system={system}>
      <h3>{system}</h3>
      {brought.size > 0 && (
        <p className="small muted">
          Brought by the system: <span className="data-small">{[...brought].join('  ')}</span>
        </p>
      )}
      <RuleList rules={own} label={`New ignore rule for ${system}`} onChange={change} />
    </section>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="settings-group">
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}

interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ legend, value, options, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="settings-choice">
      <legend>{legend}</legend>
      {options.map(([option, label]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
