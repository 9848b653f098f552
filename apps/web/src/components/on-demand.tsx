import { type FunctionComponent, type ReactNode, useEffect, useRef, useState } from 'react';
import { fetchPart } from '../lib/part.ts';
import { showToast } from './Toaster.tsx';

/** What a part that could not be fetched calls, where it has it. */
interface Closable {
  readonly onClose?: () => void;
}

/**
 * A part whose code is fetched when it is first shown. React's `lazy` would keep a failed fetch until a reload and take
 * the page down with it; this says that the server does not answer, closes the part, and fetches again the next time.
 */
export function onDemand<Props extends object>(load: () => Promise<FunctionComponent<Props>>, meanwhile?: ReactNode) {
  let fetched: FunctionComponent<Props> | undefined;
  const fetchCode = async (): Promise<FunctionComponent<Props>> => (fetched ??= await fetchPart(load));

  function OnDemand(props: Props & Closable) {
    const [Part, setPart] = useState(() => fetched);
    const close = useRef(props.onClose);
    close.current = props.onClose;
    useEffect(() => {
      let gone = false;
      fetchCode().then(
        (part) => !gone && setPart(() => part),
        () => {
          if (gone) return;
          showToast({ title: 'This part of the page could not be loaded.', detail: 'The server does not answer.' });
          close.current?.();
        },
      );
      return () => {
        gone = true;
      };
    }, []);
    return Part ? <Part {...props} /> : meanwhile;
  }

  /** Fetches it ahead of its first showing; a failure waits for that. */
  OnDemand.preload = (): void => void fetchCode().catch(() => undefined);
  return OnDemand;
}
