/** Reads what comes back as `unknown`: the steps of a job, and the images that a journal has kept. */
import { InspectorError } from '@checkpoint-inspector/core';
import type { Image } from './executor.ts';

export type Is<T> = (value: unknown) => value is T;

export const isText: Is<string> = (value) => typeof value === 'string';
export const isCount: Is<number> = (value): value is number => Number.isSafeInteger(value);
export const isBytes: Is<Uint8Array> = (value) => value instanceof Uint8Array;
export const isWhole: Is<bigint> = (value) => typeof value === 'bigint';
/** A whole number as text: JSON has none of 64 bits. */
export const isWholeText: Is<string> = (value): value is string =>
  typeof value === 'string' && /^-?\d{1,20}$/.test(value);

export function isOne<const T extends string | boolean>(wanted: T): Is<T> {
  return (value): value is T => value === wanted;
}

export function optional<T>(is: Is<T>): Is<T | undefined> {
  return (value): value is T | undefined => value === undefined || is(value);
}

export function listOf<T>(is: Is<T>): Is<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}

export function mapOf<T>(is: Is<T>): Is<Record<string, T>> {
  return (value): value is Record<string, T> => isObject(value) && Object.values(value).every(is);
}

/** An object that has at least these members. */
export function has<T>(members: { readonly [Name in keyof T]-?: Is<T[Name]> }): Is<T> {
  const checks = Object.entries<Is<unknown>>(members);
  return (value): value is T => isObject(value) && checks.every(([name, is]) => is(value[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws InspectorError internal when another engine's steps were given */
export function stepsOf<T>(engine: string, is: Is<T>, steps: unknown): T {
  if (is(steps)) return steps;
  throw new InspectorError('internal', `The steps of this job are not for the engine "${engine}".`);
}

/** @throws InspectorError unreadable */
export function marksOf<T>(is: Is<T>, marks: readonly unknown[]): T[] {
  return marks.map((mark) => {
    if (is(mark)) return mark;
    throw new InspectorError('unreadable', 'A before-image in the journal is damaged, or a newer version wrote it.');
  });
}

/** @throws InspectorError unreadable */
export function imagesOf<T>(is: Is<T>, images: readonly Image[]): { mark: T; content?: Uint8Array }[] {
  const marks = marksOf(
    is,
    images.map(({ mark }) => mark),
  );
  return marks.map((mark, index) => {
    const content = images[index]?.content;
    return content ? { mark, content } : { mark };
  });
}
