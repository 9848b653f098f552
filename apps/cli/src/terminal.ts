/** What the output goes to: how wide it is, and whether it shows colours. */
export interface Terminal {
  /** Columns of the terminal; absent in a pipe or a file, where nothing is cut. */
  readonly width?: number;
  readonly colours: boolean;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The rules of no-color.org and force-color.org: FORCE_COLOR, then NO_COLOR, then whether it is a terminal. */
export function terminalOf(stream: Stream, env: Environment): Terminal {
  const width = stream.isTTY && stream.columns > 0 ? { width: stream.columns } : {};
  return { ...width, colours: coloursOf(stream, env) };
}

function coloursOf({ isTTY }: Stream, env: Environment): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTTY && env['TERM'] !== 'dumb';
}

/** A closed pipe (`… | head`) ends the command quietly, as it ends git. */
export function endOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
