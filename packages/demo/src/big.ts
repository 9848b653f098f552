import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { checkpointToRow, type NewCheckpoint } from '@checkpoint-inspector/core';
import { ago, seeded, writeRows } from './seeding.ts';

const TASK = 'big-state';
const BYTES = 18_000_000;
const READINGS = 100_000;
const SITES = ['docs.example.com', 'blog.example.org', 'shop.example.net', 'status.example.com'];
const WORDS =
  'archive page crawl price release change report latency error market customer region update table figure source quote margin index'.split(
    ' ',
  );

/** A crawler that keeps all it has read in its state: 18 MB in one checkpoint. */
export async function seedBig(path: string, now: Date): Promise<void> {
  const random = seeded(18);
  const paragraphs = Array.from({ length: 64 }, () => paragraph(random));
  const shots = [screenshot(320, 200, 40), screenshot(240, 160, 120)];
  const readings = Array.from({ length: READINGS }, (_, n) => (20 + (n % 997) / 100).toFixed(2)).join(',');
  const pages: string[] = [];
  for (let length = readings.length + shots.join('').length; length < BYTES; length += pages.at(-1)?.length ?? 1)
    pages.push(page(pages.length, paragraphs));
  const text = `{"goal":"Keep an archive of four sites","queue":[],"pages":[${pages.join(',')}],"latency_ms":[${readings}],"screenshots":{"home":"${shots[0]}","status":"${shots[1]}"},"stats":{"pages":${pages.length},"errors":0}}`;
  const checkpoint: NewCheckpoint = {
    id: 'big-01',
    task: TASK,
    text: '{}',
    stepIndex: 1,
    trigger: 'manual',
    status: 'completed',
    description: 'crawl four sites',
    agentId: 'archivist',
    createdAt: ago(now, 260_000),
  };
  // The store would check 18 MB of text that was made a moment ago.
  const row = {
    ...checkpointToRow(checkpoint, () => now),
    text,
    size_bytes: Buffer.byteLength(text),
    state_hash: createHash('sha256').update(text).digest('hex'),
  };
  await writeRows(path, [row]);
}

function paragraph(random: () => number): string {
  const words = Array.from({ length: 90 }, () => WORDS[Math.floor(random() * WORDS.length)]);
  return `${words.join(' ')}.`;
}

function page(n: number, paragraphs: readonly string[]): string {
  const text = Array.from({ length: 8 }, (_, at) => paragraphs[(n * 11 + at * 5) % paragraphs.length]).join('\\n');
  const path = `/${WORDS[n % WORDS.length]}/${n}`;
  return `{"id":"page-${n}","url":"https://${SITES[n % SITES.length]}${path}","title":"Page ${n}","status":200,"links":${n % 40},"text":"${text}"}`;
}

/** A picture that opens: a gradient, stored without compression. */
function screenshot(width: number, height: number, tone: number): string {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set([x & 255, tone, y & 255], y * (width * 3 + 1) + 1 + x * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString('base64')}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
