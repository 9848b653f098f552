// @vitest-environment jsdom
import type { Difference } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { DiffRow } from './DiffRow.tsx';
import { showRest } from './DiffValue.tsx';
import { MessagesOf } from './MessageValue.tsx';

const KEY = `ghp_${'a1B2'.repeat(9)}`;

function show(item: Difference, system: string | undefined) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MessagesOf system={system}>
        <div role="listbox" tabIndex={0} aria-activedescendant="row" onKeyDown={showRest}>
          <div role="option" aria-selected id="row">
            <DiffRow item={item} label="items[3]" focused />
          </div>
        </div>
      </MessagesOf>
    </QueryClientProvider>,
  );
}

const added = (after: string): Difference => ({ path: '$.items[3]', kind: 'added', after });
const ANSWER = added('{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Third answer."}]}');

afterEach(cleanup);

it('a message that came is its role and words, and as stored with Enter', async () => {
  show(ANSWER, 'codex');
  expect((await screen.findByTestId('diff-message')).textContent).toBe('Assistant Third answer.show as stored');
  fireEvent.keyDown(screen.getByRole('listbox'), { key: 'Enter' });
  expect(screen.getByRole('option').textContent).toContain('"output_text"');
});

it('a call is its name and arguments, secrets masked', async () => {
  const args = JSON.stringify(JSON.stringify({ cmd: `echo ${KEY}` }));
  show(added(`{"type":"function_call","name":"exec_command","call_id":"c1","arguments":${args}}`), 'codex');
  const said = (await screen.findByTestId('diff-message')).textContent;
  expect(said).toContain('calls exec_command {"cmd":"echo ghp_••••"}');
  expect(said).not.toContain('a1B2');
});

it('another value, or a message whose system is unknown, stays JSON', async () => {
  show(added('{"type":"reasoning","summary":[]}'), 'codex');
  expect((await screen.findByRole('option')).textContent).toContain('"reasoning"');
  cleanup();
  show(ANSWER, undefined);
  expect(screen.getByRole('option').textContent).toContain('"output_text"');
});
