import type { Domain } from '../acts.ts';
import { conversion } from './conversion.ts';
import { crawler } from './crawler.ts';
import { experiments } from './experiments.ts';
import { lab } from './lab.ts';
import { ledger } from './ledger.ts';
import { migration } from './migration.ts';
import { support } from './support.ts';
import { travel } from './travel.ts';
import { warehouse } from './warehouse.ts';

export const DOMAINS: readonly Domain[] = [
  ledger,
  conversion,
  travel,
  support,
  warehouse,
  lab,
  crawler,
  experiments,
  migration,
];
