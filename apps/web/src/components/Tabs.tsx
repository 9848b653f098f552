import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

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
            {item.count !== undefined && <span className="tab-count">{item.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content className="tab-panel" value={value} tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
