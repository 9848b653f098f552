/**
 * One table for every failure: HTTP status, exit code, remedy. The docs are generated from it.
 * @example ERROR_CODES.not_found.status // 404
 */
export const ERROR_CODES = {
  not_found: { status: 404, exit: 4, remedy: 'Check the id; list what is there with `list` or `tasks`.' },
  ambiguous_id: { status: 409, exit: 5, remedy: 'Name the task (and namespace) as well: --task, --ns or ?task=&ns=.' },
  unreadable: { status: 422, exit: 6, remedy: 'Look at the raw bytes; the other rows of the store are not affected.' },
  locked: { status: 423, exit: 7, remedy: 'Give the key of the store, or wait until the other process lets go.' },
  wrong_key: { status: 403, exit: 8, remedy: 'Try another key; nothing was changed.' },
  busy: { status: 503, exit: 9, remedy: 'Another process holds the store; try again when it is idle.' },
  head_moved: {
    status: 412,
    exit: 10,
    remedy: 'A newer checkpoint was saved since the preview; look at the new preview and confirm again.',
  },
  changed: { status: 412, exit: 11, remedy: 'The checkpoint changed since it was shown; reload and try again.' },
  undo_conflict: {
    status: 409,
    exit: 12,
    remedy: 'Something was saved after that change; undo would take it away too. Restore an older checkpoint instead.',
  },
  plan_expired: { status: 410, exit: 13, remedy: 'Plans live 15 minutes; make a new preview.' },
  proof_failed: { status: 500, exit: 14, remedy: 'The store does not answer as planned; see the receipt and undo it.' },
  unsupported: { status: 422, exit: 15, remedy: 'This store cannot do that; the message says why.' },
  unsupported_version: {
    status: 422,
    exit: 16,
    remedy: 'The store was written by a newer version; update this program.',
  },
  invalid_input: { status: 400, exit: 2, remedy: 'Correct the named value and try again.' },
  read_only: { status: 403, exit: 17, remedy: 'Start without --read-only to allow changes.' },
  unauthorised: { status: 401, exit: 18, remedy: 'Open the link that the program printed when it started.' },
  forbidden_host: {
    status: 403,
    exit: 19,
    remedy: 'Open the page by the printed address, or allow this host with --allowed-host.',
  },
  too_large: { status: 413, exit: 20, remedy: 'Send less, or ask for a part.' },
  port_in_use: { status: 409, exit: 21, remedy: 'Stop the other program or choose another port with --port.' },
  no_store: { status: 404, exit: 3, remedy: 'Name a file or folder that holds checkpoints, or try --demo.' },
  disk_full: { status: 507, exit: 22, remedy: 'Free some space and try again; what was stored before is intact.' },
  internal: {
    status: 500,
    exit: 1,
    remedy: 'This is a defect of the inspector; nothing was changed unless a receipt says so.',
  },
} as const satisfies Record<string, { status: number; exit: number; remedy: string }>;

/**
 * A code of the table.
 * @example const code: ErrorCode = 'not_found'
 */
export type ErrorCode = keyof typeof ERROR_CODES;

/** An error on the wire: `{ error: {...} }` in HTTP and `--json`. */
export interface WireError {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly remedy: string;
    readonly data?: Record<string, unknown>;
  };
}

/**
 * The one error class. `message` says what happened, `remedy` what to do.
 * @example throw new InspectorError('not_found', 'No checkpoint "a" in task "t".', { data: { id: 'a' } })
 */
export class InspectorError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly data: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { data?: Record<string, unknown>; remedy?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'InspectorError';
    this.code = code;
    this.remedy = more.remedy ?? ERROR_CODES[code].remedy;
    this.data = more.data;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }

  toWire(): WireError {
    return {
      error: { code: this.code, message: this.message, remedy: this.remedy, ...(this.data ? { data: this.data } : {}) },
    };
  }

  /** True for errors of this class from any copy of the package. */
  static is(value: unknown): value is InspectorError {
    return value instanceof Error && value.name === 'InspectorError' && 'code' in value;
  }

  /** Any thrown value as an InspectorError; unknown ones become `internal` with the cause kept. */
  static from(value: unknown): InspectorError {
    if (InspectorError.is(value)) return value;
    const message = value instanceof Error ? value.message : String(value);
    return new InspectorError('internal', message, { cause: value });
  }
}
