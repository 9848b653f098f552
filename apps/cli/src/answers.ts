import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointSource } from '@checkpoint-inspector/core';

/** Asks several stores; one that fails or is too slow keeps nobody from the others. */
export interface Answers {
  /** What each store answered, in their order. One that fails is left out, and is not asked again. */
  of<T>(sources: readonly CheckpointSource[], ask: (source: CheckpointSource) => Promise<T>): Promise<T[]>;
  /** For a search that found something: names the stores that were left out, each once. */
  tellFailed(): void;
  /** For a search that found nothing. @throws what kept the first store from answering */
  assertAll(): void;
}

export function createAnswers(tell: (message: string) => void): Answers {
  const failed = new Map<CheckpointSource, InspectorError>();
  const told = new Set<CheckpointSource>();
  return {
    async of<T>(sources: readonly CheckpointSource[], ask: (source: CheckpointSource) => Promise<T>): Promise<T[]> {
      const asked = sources.filter((source) => !failed.has(source));
      const answers = await Promise.allSettled(asked.map(async (source) => ask(source)));
      const got: T[] = [];
      for (const [at, source] of asked.entries()) {
        const answer = answers[at];
        if (answer?.status === 'fulfilled') got.push(answer.value);
        else failed.set(source, InspectorError.from(answer?.reason));
      }
      return got;
    },
    tellFailed() {
      for (const [source, { message, remedy }] of failed) {
        if (told.has(source)) continue;
        told.add(source);
        tell(`the store "${source.info.id}" was not searched. ${message} ${remedy}`);
      }
    },
    assertAll() {
      for (const error of failed.values()) throw error;
    },
  };
}
