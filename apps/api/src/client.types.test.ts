import type {
  ChangeRequest,
  CheckpointMeta,
  Diff,
  LineageRow,
  PlanView,
  Receipt,
  StoreInfo,
  Task,
} from '@checkpoint-inspector/core';
import { describe, expectTypeOf, it } from 'vitest';
import type { z } from '@hono/zod-openapi';
import type { TrashItem } from '@checkpoint-inspector/changes';
import type { ApiClient } from './client.ts';
import type {
  changeRequestSchema,
  checkpointMetaSchema,
  diffSchema,
  lineageRowSchema,
  planViewSchema,
  receiptSchema,
  storeInfoSchema,
  taskSchema,
  trashItemSchema,
} from './wire/index.ts';

type Api = ApiClient['api'];
type Answer<Route> = Route extends (...input: never[]) => Promise<{ json(): Promise<infer Body> }> ? Body : never;
type IsAny<T> = 0 extends 1 & T ? true : false;

/** The same keys, and each side fits the other. */
type Same<A, B> = [A, B, keyof A, keyof B] extends [B, A, keyof B, keyof A] ? true : false;

describe('wire schemas give the types of core', () => {
  it('in both directions', () => {
    expectTypeOf<Same<z.output<typeof taskSchema>, Task>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof checkpointMetaSchema>, CheckpointMeta>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof lineageRowSchema>, LineageRow>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof storeInfoSchema>, StoreInfo>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof receiptSchema>, Receipt>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof planViewSchema>, PlanView>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof trashItemSchema>, TrashItem>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof diffSchema>, Diff>>().toEqualTypeOf<true>();
    expectTypeOf<Same<z.output<typeof changeRequestSchema>, ChangeRequest>>().toEqualTypeOf<true>();
  });
});

describe('the typed client', () => {
  it('never falls back to any', () => {
    expectTypeOf<IsAny<ApiClient>>().toEqualTypeOf<false>();
    expectTypeOf<IsAny<Answer<Api['tasks']['$get']>>>().toEqualTypeOf<false>();
    expectTypeOf<IsAny<Answer<Api['plans']['$post']>>>().toEqualTypeOf<false>();
    expectTypeOf<IsAny<Answer<Api['diff']['$get']>>>().toEqualTypeOf<false>();
  });

  it('answers with what core calls by that name', () => {
    type Checkpoints = Api['stores'][':store']['tasks'][':task']['checkpoints']['$get'];
    type Tree = Api['stores'][':store']['tasks'][':task']['tree']['$get'];
    expectTypeOf<Same<Answer<Api['stores']['$get']>['items'][number], StoreInfo>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Answer<Api['tasks']['$get']>['items'][number], Task>>().toEqualTypeOf<true>();
    expectTypeOf<
      Same<
        Answer<Checkpoints>['items'][number],
        CheckpointMeta & { readonly summary?: string; readonly changes?: number; readonly error?: string }
      >
    >().toEqualTypeOf<true>();
    expectTypeOf<
      Same<Answer<Api['diff']['$get']>, Diff & { readonly ignoreRules: readonly string[] }>
    >().toEqualTypeOf<true>();
    expectTypeOf<Same<Answer<Tree>['items'][number], LineageRow>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Answer<Api['plans']['$post']>, PlanView>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Answer<Api['plans'][':id']['apply']['$post']>, Receipt>>().toEqualTypeOf<true>();
  });

  it('refuses a mistyped query, body or parameter', () => {
    type Get = Parameters<Api['tasks']['$get']>[0];
    expectTypeOf<{ query: { limit: string } }>().toExtend<Get>();
    expectTypeOf<{ query: { limit: number } }>().not.toExtend<Get>();
    type Post = Parameters<Api['plans']['$post']>[0];
    expectTypeOf<{ json: { store: string; request: { kind: 'vanish' } } }>().not.toExtend<Post>();
  });
});
