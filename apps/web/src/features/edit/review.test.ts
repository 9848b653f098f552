import { describe, expect, it } from 'vitest';
import { problemIn, reviewEdit } from './review.ts';

describe('reviewEdit', () => {
  it('counts what is changed, and leaves every other token alone', () => {
    const review = reviewEdit('{"context":{"cache":true},"n":1.0}', '{"context":{"cache":false},"n":1.0}');
    expect(review).toMatchObject({ kind: 'edited', diff: { summary: { changed: 1 } }, shape: [] });
  });

  it('warns of a shape that no state had', () => {
    const review = reviewEdit('{"cache":true,"n":1}', '{"cache":"no"}');
    expect(review.kind === 'edited' && review.shape.map(({ path }) => path)).toEqual(['$.n', '$.cache']);
  });

  it('knows an untouched text', () => {
    expect(reviewEdit('{"a":1}', '{"a":1}')).toEqual({ kind: 'same' });
    expect(reviewEdit('{"a":1}', '{ "a": 1 }').kind).toBe('edited');
  });

  it('names line and column of broken text', () => {
    expect(problemIn('{\n  "a": 1,\n  "b" 2\n}')).toMatchObject({ line: 3, column: 7 });
    expect(problemIn('{"a":1')).toMatchObject({ line: 1, column: 7 });
    expect(problemIn('[1]')).toBeUndefined();
  });
});
