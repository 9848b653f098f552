/** What the routes call. Everything with a side effect is behind these. */
import type { DemoControl, Inspector } from '@checkpoint-inspector/inspector';
import type { EventHub } from './events.ts';
import type { LoginCodes } from './login-codes.ts';
import type { SentAnswers } from './sent.ts';

export interface ServerStatus {
  readonly version: string;
  readonly readOnly: boolean;
  readonly demo: boolean;
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
}

export interface Services extends Omit<Inspector, 'close'> {
  readonly events: EventHub;
  readonly sent: SentAnswers;
  readonly status: ServerStatus;
  /** Folder of the built page, which an export can put into one file. */
  readonly page?: string;
  /** Only with --demo. */
  readonly demo?: DemoControl;
  /** Absent: no one-time codes are issued. */
  readonly loginCodes?: LoginCodes;
}
