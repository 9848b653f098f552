/** For tests: a small database that no statement can read to its end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { openSqlite } from '@checkpoint-inspector/io';

const PAGE = 512;
/** Interior pages in a chain, each with so many ways to the next: 60 to the power of 14 rows. */
const DEPTH = 14;
const WIDTH = 60;

/** The document's table of ctx-sys with one row, whose tree of pages leads to the same leaf over and over. */
export function writeEndless(path: string): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.pragma(`page_size = ${PAGE}`);
  db.exec(`CREATE TABLE checkpoints (
    id TEXT, session_id TEXT, project_id TEXT, step_number INTEGER, created_at TEXT, state_json TEXT,
    description TEXT, trigger_type TEXT, duration_ms INTEGER, token_usage INTEGER);
    INSERT INTO checkpoints VALUES ('a', 's', 'p', 1, '2026-01-01T00:00:00Z', '{}', NULL, 'auto', NULL, NULL)`);
  const root = Number(
    db.prepare<{ rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'checkpoints'").get()?.rootpage,
  );
  db.close();
  const stored = readFileSync(path);
  const pages = stored.length / PAGE;
  const leaf = stored.subarray((root - 1) * PAGE, root * PAGE);
  const chain = Array.from({ length: DEPTH }, (_, at) => interior(pages + at + 1));
  const whole = Buffer.concat([stored, ...chain.slice(1), Buffer.from(leaf)]);
  interior(pages + 1).copy(whole, (root - 1) * PAGE);
  whole.writeUInt32BE(whole.length / PAGE, 28);
  writeFileSync(path, whole);
}

/** Source: https://www.sqlite.org/fileformat.html, section 1.6. */
function interior(child: number): Buffer {
  const page = Buffer.alloc(PAGE);
  const cells = PAGE - WIDTH * 5;
  page.writeUInt8(5, 0);
  page.writeUInt16BE(WIDTH, 3);
  page.writeUInt16BE(cells, 5);
  page.writeUInt32BE(child, 8);
  for (let at = 0; at < WIDTH; at++) {
    page.writeUInt16BE(cells + at * 5, 12 + at * 2);
    page.writeUInt32BE(child, cells + at * 5);
    page.writeUInt8(at + 1, cells + at * 5 + 4);
  }
  return page;
}
