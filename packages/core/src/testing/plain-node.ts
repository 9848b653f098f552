import type { JsonNode } from '../json/index.ts';

/** A node as data, with all that it holds: nodes make what they hold when it is asked for. */
export const plainNode = (root: JsonNode): unknown =>
  JSON.parse(
    JSON.stringify(root, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null || !('kind' in value) || !('start' in value)) return value;
      const { kind, start, end } = value as JsonNode;
      if ('items' in value) return { kind, start, end, items: value.items };
      return 'members' in value ? { kind, start, end, members: value.members } : { kind, start, end };
    }),
  );
