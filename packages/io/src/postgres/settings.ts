import { quotedName, quotedText } from './values.ts';

/** What every transaction sets for itself: where names are looked up, how long it may take, and how values are written. */
export function settings(schema: string, statementMs: number): string {
  const values = {
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(2 * statementMs),
    timezone: 'UTC',
    datestyle: 'ISO',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
  };
  const local = Object.entries(values).map(([name, value]) => `SET LOCAL ${name} = ${quotedText(value)}`);
  return [`SET LOCAL search_path = ${quotedName(schema)}`, ...local].join('; ');
}
