import type { Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { announce, useSaid } from '../../lib/announce.ts';
import { tasksQuery } from '../../lib/queries.ts';
import { useShown } from '../../lib/masking.ts';
import { newsOf } from './news.ts';

/** An agent may save many times a second; a reader wants to hear of it now and then. */
const GATHER_MS = 4000;

/** The polite live region: what was announced, and checkpoints that are new or have failed. */
export function Announcer() {
  const said = useSaid();
  const shown = useShown();
  useNews();
  return (
    <div role="status" aria-live="polite" className="sr-only" data-testid="announcer">
      <span key={said.turn}>{shown(said.text)}</span>
    </div>
  );
}

function useNews(): void {
  const tasks = useQuery(tasksQuery()).data?.items;
  const told = useRef<readonly Task[]>(undefined);
  const newest = useRef(tasks);
  newest.current = tasks;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    told.current ??= tasks;
    if (tasks === told.current || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const news = newsOf(told.current ?? [], newest.current ?? []);
      told.current = newest.current;
      if (news !== undefined) announce(news);
    }, GATHER_MS);
  }, [tasks]);
  useEffect(() => () => clearTimeout(timer.current), []);
}
