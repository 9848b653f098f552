const row = (status: number, exit: number, means: string, remedy: string) => ({ status, exit, means, remedy }) as const;

/**
 * One table for every failure: HTTP status, exit code, what it means, remedy. The docs are generated from it.
 * @example ERROR_CODES.not_found.status // 404
 */
export const ERROR_CODES = {
  not_found: row(404, 4, 'No such task, checkpoint or change.', 'Check the id. `list` and `tasks` show what exists.'),
  ambiguous_id: row(
    409,
    5,
    'The name fits more than one.',
    'Add the task (and namespace): --task, --ns or ?task=&ns=.',
  ),
  unreadable: row(
    422,
    6,
    'What is stored is damaged, or could not be read.',
    'Look at the raw bytes. Other rows in the store are not affected.',
  ),
  locked: row(
    423,
    7,
    'The store is encrypted, or another process keeps it to itself.',
    'Unlock the store with its key, or wait until the other process closes it.',
  ),
  wrong_key: row(403, 8, 'The key does not open the store.', 'Try another key. Nothing was changed.'),
  busy: row(
    503,
    9,
    'The store could not be used in time.',
    'Another process is using the store. Try again when it is idle.',
  ),
  head_moved: row(
    412,
    10,
    'The task has a newer checkpoint than the preview.',
    'A newer checkpoint was saved after the preview. Check the new preview and confirm again.',
  ),
  changed: row(
    412,
    11,
    'What was shown is no longer what is stored.',
    'The checkpoint changed after it was shown. Reload and try again.',
  ),
  undo_conflict: row(
    409,
    12,
    'What the change left behind has changed since.',
    'Something was saved after that change, and undo would remove it too. Restore an older checkpoint instead.',
  ),
  plan_expired: row(
    410,
    13,
    'The preview is too old, or was used.',
    'Plans expire after 15 minutes. Make a new preview.',
  ),
  proof_failed: row(
    500,
    14,
    'The change was made, and what is stored is not what was planned.',
    'The store does not match the plan. See the receipt, and undo the change.',
  ),
  unsupported: row(422, 15, 'The store cannot do that.', 'This store does not support that. The message says why.'),
  unsupported_version: row(
    422,
    16,
    "The store's format is newer than this program.",
    'A newer version wrote this store. Update Checkpoint Inspector.',
  ),
  invalid_input: row(400, 2, 'An argument or option is wrong.', 'Fix that value and try again.'),
  read_only: row(403, 17, 'Changes are switched off.', 'Start without --read-only to allow changes.'),
  unauthorised: row(
    401,
    18,
    'The token is missing or wrong.',
    'Open the link that was printed when the inspector started.',
  ),
  forbidden_host: row(
    403,
    19,
    'The request was made to another address than the printed one.',
    'Open the page at the printed address, or allow this host with --allowed-host.',
  ),
  too_large: row(413, 20, 'The request or the answer is over the limit.', 'Send less, or request only a part.'),
  port_in_use: row(
    409,
    21,
    'Another program listens on the port.',
    'Stop the other program or choose another port with --port.',
  ),
  no_store: row(
    404,
    3,
    'No checkpoints were found.',
    'Name a file or folder that contains checkpoints, or try --demo.',
  ),
  disk_full: row(507, 22, 'The disk is full.', 'Free some space and try again. Everything already stored is intact.'),
  internal: row(
    500,
    1,
    'The inspector failed.',
    'This is a bug in the inspector. Nothing was changed unless there is a receipt for it.',
  ),
};

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

  /** An error from another thread or process: code and words as they were; of a defect only the message, for the log. */
  static fromWire({ code, message, remedy, data }: WireError['error']): InspectorError {
    return new InspectorError(code, message, { remedy, ...(data === undefined ? {} : { data }) });
  }

  /** True for errors of this class from any copy of the package. */
  static is(value: unknown): value is InspectorError {
    return value instanceof Error && value.name === 'InspectorError' && 'code' in value;
  }

  /** Any thrown value as an InspectorError; unknown ones become `internal` with the cause kept. */
  static from(value: unknown): InspectorError {
    if (InspectorError.is(value)) return value;
    const message = value instanceof Error ? value.message : String(value);
    if (!meansTooManyFiles(value)) return new InspectorError('internal', message, { cause: value });
    return new InspectorError('busy', `Too many files are open. ${message}`, { cause: value, remedy: MORE_FILES });
  }
}

const MORE_FILES =
  'Allow more open files, for example with `ulimit -n 1024`, or close other programs, then start again.';

/** Of this process, or of the whole machine. */
export const meansTooManyFiles = (value: unknown): boolean =>
  value instanceof Error && 'code' in value && (value.code === 'EMFILE' || value.code === 'ENFILE');
