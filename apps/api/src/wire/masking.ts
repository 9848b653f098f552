import { z } from '@hono/zod-openapi';
import { optional } from './common.ts';

const lines = z.array(z.string()).readonly();

export const maskRulesSchema = z
  .strictObject({
    hide: optional(lines).describe('Regular expressions of what is a secret too'),
    safe: optional(lines).describe('Names of fields that are never masked by their names'),
  })
  .openapi('MaskRules');

export const maskingSchema = z
  .object({ hide: lines, safe: lines, key: z.string().describe('Of the pseudonyms, as hex') })
  .openapi('Masking');
