import { expect, it } from 'vitest';
import { questionOf, waitingWords } from './question.ts';

it('finds the sentence that asks', () => {
  expect(questionOf('Approve it?')).toBe('Approve it?');
  expect(questionOf('"Approve a refund of 120 EUR?"')).toBe('Approve a refund of 120 EUR?');
  expect(
    questionOf(
      '{"id":"a-1","question":"Approve 18,400 EUR for Northwind?","note":"a much longer text beside it, for whoever decides"}',
    ),
  ).toBe('Approve 18,400 EUR for Northwind?');
  expect(questionOf('{"prompt":{"text":"please confirm the transfer"}}')).toBe('please confirm the transfer');
});

it('leaves out the call below a question', () => {
  expect(questionOf('Remove the build folder?\n{"cmd":"rm -rf build"}')).toBe('Remove the build folder?');
  expect(questionOf('Remove it?\nIt is large.')).toBe('Remove it?\nIt is large.');
});

it('finds a question of one word, and no address that ends like one', () => {
  expect(questionOf('{"question":"Age?"}')).toBe('Age?');
  expect(questionOf('{"mark":"?"}')).toBeUndefined();
});

it('finds none where there are no words', () => {
  expect(questionOf('{"amount":120}')).toBeUndefined();
  expect(questionOf('  ')).toBeUndefined();
});

it('counts who waits', () => {
  expect(waitingWords(2)).toBe('2 tasks are waiting for a person, longest first');
  expect(waitingWords(1)).toBe('1 task is waiting for a person');
});
