import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Checkbox } from '../../components/index.ts';
import { useTitle } from '../../lib/hooks.ts';
import { setRevealed } from '../../lib/masking.ts';
import { storesQuery } from '../../lib/queries.ts';
import { changeSettings, setTheme, useSettings, useTheme } from '../../lib/settings.ts';
import { IgnoreDefaults } from './IgnoreDefaults.tsx';
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
        <Choice
          legend="Theme"
          value={theme}
          options={[
            ['system', 'As the system'],
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChange={setTheme}
        />
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
        <IgnoreDefaults systems={systems} stores={stores} ignore={chosen.ignore} />
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
