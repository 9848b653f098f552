import { useEffect, useRef } from 'react';
import { showToast } from '../../components/index.ts';
import { useKeys } from '../../lib/keys.ts';
import { answerHistory, askHistory, useAskedHistory } from './ask.ts';

/** The key h. `reveal` brings the inspector on the screen where it is not. */
export function useHistoryKey(path: string | undefined, reveal: () => void): void {
  const asked = useAskedHistory();
  const latest = useRef(reveal);
  latest.current = reveal;
  useKeys({ h: askHistory });
  useEffect(() => {
    if (!asked) return;
    if (path !== undefined) return latest.current();
    answerHistory();
    showToast({ title: 'Choose a value first: h shows its history.' });
  }, [asked, path]);
}
