import { formatCount } from '../lib/format.ts';
import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useRef } from 'react';

interface TabItem<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number | string | undefined;
}

interface TabsProps<Id extends string> {
  readonly items: readonly TabItem<Id>[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  readonly label: string;
  readonly children: ReactNode;
}

export function Tabs<Id extends string>({ items, value, onChange, label, children }: TabsProps<Id>) {
  const select = (id: string): void => {
    const item = items.find((candidate) => candidate.id === id);
    if (item) onChange(item.id);
  };
  return (
    <Radix.Root className="tabbed" value={value} onValueChange={select}>
      <Radix.List className="tabs" aria-label={label}>
        {items.map((item) => (
          <Radix.Trigger key={item.id} className="tab" value={item.id}>
            {item.label}
            <TabCount count={item.count} />
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content className="tab-panel" value={value} tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}

/** While it is not known it keeps the room of the one before, so that the tabs beside it do not move. */
function TabCount({ count }: { readonly count: number | string | undefined }) {
  const known = useRef<string>(undefined);
  if (count !== undefined) known.current = typeof count === 'number' ? formatCount(count) : count;
  if (known.current === undefined) return null;
  return <span className={count === undefined ? 'tab-count unknown' : 'tab-count'}>{known.current}</span>;
}
