// @vitest-environment jsdom
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Unauthorised } from './Unauthorised.tsx';

it('says where others can read a token of the command line, and what to use instead', () => {
  render(<Unauthorised />);
  const text = screen.getByTestId('unauthorised').textContent;
  expect(text).toMatch(/set CHECKPOINT_INSPECTOR_TOKEN: .* --token in the process list/);
});
