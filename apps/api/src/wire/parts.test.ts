import type { BlobNote, JsonMatch, PartChild, TrailStep, ValueNote } from '@checkpoint-inspector/core';
import type { z } from '@hono/zod-openapi';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { FindAnswer } from '@checkpoint-inspector/inspector';
import { findQuerySchema, partQuerySchema, valueQuerySchema } from './parts.ts';
import type { foundSchema, partSchema } from './parts.ts';

describe('parts on the wire', () => {
  it('are those of core', () => {
    type Wire = z.output<typeof partSchema>;
    expectTypeOf<Pick<Wire, 'kind' | 'length' | 'count' | 'text' | 'cut'>>().toEqualTypeOf<
      Pick<{ -readonly [K in keyof ValueNote]: ValueNote[K] }, 'kind' | 'length' | 'count' | 'text' | 'cut'>
    >();
    expectTypeOf<NonNullable<Wire['blob']>>().toExtend<BlobNote>();
    expectTypeOf<Wire['trail'][number]>().toExtend<TrailStep>();
    expectTypeOf<NonNullable<Wire['children']>[number]>().toEqualTypeOf<PartChild>();
    expectTypeOf<z.output<typeof foundSchema>>().toExtend<FindAnswer>();
    expectTypeOf<z.output<typeof foundSchema>['items'][number]>().toExtend<JsonMatch>();
  });

  it('are asked for in bounds', () => {
    expect(partQuerySchema.parse({ path: '$', offset: '7', limit: '5000', depth: '3' })).toMatchObject({
      offset: 7,
      limit: 1_000,
      depth: 3,
    });
    for (const wrong of [{ depth: '4' }, { offset: '-1' }, { offset: '1.5' }, { preview: '0' }, { limit: '0' }])
      expect(partQuerySchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    expect(findQuerySchema.safeParse({ text: '' }).success).toBe(false);
    expect(valueQuerySchema.safeParse({ path: '$', as: 'html' }).success).toBe(false);
  });
});
