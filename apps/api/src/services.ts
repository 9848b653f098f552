/** What the routes call. Everything with a side effect is behind these. */
import type {
  BigStates,
  StoreService,
  DemoControl,
  Meter,
  AnnotationService,
  Summaries,
  Trees,
  Triage,
} from '@checkpoint-inspector/inspector';
import type { ChangeService } from '@checkpoint-inspector/changes';
import type { EventHub } from './events/hub.ts';
import type { SearchService } from '@checkpoint-inspector/search';
import type { SessionCodes } from './login-codes/codes.ts';

export interface ServerStatus {
  readonly version: string;
  readonly readOnly: boolean;
  readonly demo: boolean;
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
}

export interface Services {
  readonly stores: StoreService;
  readonly big: BigStates;
  readonly changes: ChangeService;
  readonly events: EventHub;
  readonly summaries: Summaries;
  readonly search: SearchService;
  readonly trees: Trees;
  readonly triage: Triage;
  readonly annotations: AnnotationService;
  readonly meter: Meter;
  readonly status: ServerStatus;
  /** Only with --demo. */
  readonly demo?: DemoControl;
  /** Absent: no one-time codes are issued. */
  readonly sessions?: SessionCodes;
}
