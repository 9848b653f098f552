import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useState } from 'react';
import { isHuge } from '../../lib/big.ts';
import { BigStateTree } from './BigStateTree.tsx';
import { HugeState } from './HugeState.tsx';

interface BigStateTabProps {
  readonly meta: CheckpointMeta;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  readonly onRaw: () => void;
}

/** A link to a value inside opens a huge state too: whoever follows it wants to see that value. */
export function BigStateTab(props: BigStateTabProps) {
  const [opened, setOpened] = useState(!isHuge(props.meta) || props.path !== undefined);
  if (!opened) return <HugeState meta={props.meta} onOpen={() => setOpened(true)} onRaw={props.onRaw} />;
  return <BigStateTree {...props} />;
}
