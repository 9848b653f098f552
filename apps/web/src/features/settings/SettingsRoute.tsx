import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { changeSettings, setTheme, type Settings, THEMES, useSettings, useTheme } from '../../lib/settings.ts';
import { RuleList } from '../diff/IgnoreRules.tsx';
import { Checkbox } from '../../components/index.ts';
import { useTitle } from '../../lib/hooks.ts';
import { setRevealed } from '../../lib/masking.ts';
import { storesQuery } from '../../lib/queries.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { MaskingRules } from './MaskingRules.tsx';
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
        <p className="muted">
          {isFile()
            ? 'Kept until you close this page.'
            : 'Kept in this browser only, but for the rules of masking, which the server keeps.'}
        </p>
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
            ['local', 'Local'],
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
          Also holds for what you copy. Use the top bar to reveal secrets until you leave the page. While a store with
          private work is open, such as a coding agent&apos;s, every visit begins masked.
        </p>
      </Group>
      {!isFile() && (
        <Group title="Masking">
          <MaskingRules />
        </Group>
      )}
      <Group title="Ignored in comparisons">
        <p className="small muted">
          Added to each system's default rules. Every comparison lists its rules and lets you remove any of them.
        </p>
        {systems.length === 0 && <p className="muted">No store is open.</p>}
        {systems.length > 0 && (
          <table className="settings-table">
            <thead>
              <tr>
                {['System', 'Ignored by default', 'Yours'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {systems.map((system) => (
                <SystemRules key={system} system={system} ignore={chosen.ignore} />
              ))}
            </tbody>
          </table>
        )}
      </Group>
      <Group title="Keys">
        <Checkbox checked={chosen.keys} onChange={(keys) => changeSettings({ keys })} testId="setting-keys">
          Keys of one character, and sequences such as g t
        </Checkbox>
        <p className="small muted">
          When off, arrows, Enter, Escape and Ctrl keys still work. Everything also has a control on the screen.
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
    <tr className="settings-rules" data-system={system}>
      <th scope="row">{system}</th>
      <td>
        <ul className="settings-brought">
          {[...brought].map((rule) => (
            <li key={rule} className="data-small">
              {rule}
            </li>
          ))}
        </ul>
      </td>
      <td>
        <RuleList rules={own} label={`New ignore rule for ${system}`} onChange={change} />
      </td>
    </tr>
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
