import clsx from 'clsx';
import { Fragment, type ReactNode } from 'react';
import { cutMiddle } from '../lib/format.ts';

interface PairsProps {
  /** `data`: its value is stored text. */
  readonly facts: readonly (readonly [name: string, value: ReactNode, data?: 'data'])[];
  readonly className?: string;
}

/** Facts by name; what has no value is left out. */
export function Pairs({ facts, className }: PairsProps) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  return (
    <dl className={clsx('pairs', className)}>
      {known.map(([name, value, data]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className={data && 'data-small'}>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** An id or a hash, cut in the middle; the whole as a tooltip. */
export const cutId = (text: string, most: number): ReactNode => (
  <span className="data-small" title={text}>
    {cutMiddle(text, most)}
  </span>
);
