/** XXH3-128 with the default secret, by which LangGraph for Python names tasks. Source: the specification of xxHash. */
const SECRET = Buffer.from(
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e' +
    'e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a' +
    '51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8f' +
    'f8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
  'hex',
);
const [P1, P2, P3] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n];
const [P4, P5] = [0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];
const [SMALL1, SMALL2, SMALL3] = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn];
const STRIPE = 64;
const STRIPES = (SECRET.length - STRIPE) / 8;

/** The names of tasks are longer than this; shorter input has rules of its own, which nothing here needs. */
const SHORTEST = 17;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const at = (bytes: Buffer, offset: number): bigint => bytes.readBigUInt64LE(offset);

/** Of 17 bytes and more, as 32 hex digits. @example xxh3(Buffer.alloc(17)) // 'a3d7e4cef35b1f44c2915ca0df7ad4c1' */
export function xxh3(input: Buffer): string {
  if (input.length < SHORTEST) throw new RangeError('XXH3 of so few bytes is not needed here.');
  const [low, high] = input.length <= 240 ? ofMiddle(input) : ofLong(input);
  return [high, low].map((half) => half.toString(16).padStart(16, '0')).join('');
}

function ofMiddle(input: Buffer): [low: bigint, high: bigint] {
  const size = input.length;
  const sum: Sum = [u64(BigInt(size) * P1), 0n];
  if (size <= 128) {
    for (let n = Math.floor((size - 1) / 32); n >= 0; n--) mix(sum, input, n * 16, size - 16 - n * 16, n * 32);
  } else {
    for (let n = 0; n < 4; n++) mix(sum, input, n * 32, n * 32 + 16, n * 32);
    sum[0] = avalanche(sum[0]);
    sum[1] = avalanche(sum[1]);
    for (let n = 4; (n + 1) * 32 <= size; n++) mix(sum, input, n * 32, n * 32 + 16, 3 + (n - 4) * 32);
    mix(sum, input, size - 16, size - 32, 103);
  }
  const [low, high] = sum;
  return [avalanche(u64(low + high)), u64(-avalanche(u64(low * P1 + high * P4 + BigInt(size) * P2)))];
}

type Sum = [low: bigint, high: bigint];

/** Two pieces of 16 bytes. */
function mix(sum: Sum, input: Buffer, first: number, second: number, secret: number): void {
  sum[0] = u64(sum[0] + folded(input, first, secret)) ^ u64(at(input, second) + at(input, second + 8));
  sum[1] = u64(sum[1] + folded(input, second, secret + 16)) ^ u64(at(input, first) + at(input, first + 8));
}

function folded(input: Buffer, offset: number, secret: number): bigint {
  return fold(at(input, offset) ^ at(SECRET, secret), at(input, offset + 8) ^ at(SECRET, secret + 8));
}

/** Both halves of the product. */
function fold(a: bigint, b: bigint): bigint {
  const product = a * b;
  return u64(product) ^ (product >> 64n);
}

function avalanche(hash: bigint): bigint {
  const mixed = u64((hash ^ (hash >> 37n)) * 0x165667919e3779f9n);
  return mixed ^ (mixed >> 32n);
}

function ofLong(input: Buffer): [low: bigint, high: bigint] {
  const size = input.length;
  const lanes = [SMALL3, P1, P2, P3, P4, SMALL2, P5, SMALL1];
  const stripes = Math.floor((size - 1) / STRIPE);
  for (let n = 0; n < stripes; n++) {
    accumulate(lanes, input, n * STRIPE, (n % STRIPES) * 8);
    if (n % STRIPES === STRIPES - 1) scramble(lanes);
  }
  accumulate(lanes, input, size - STRIPE, SECRET.length - STRIPE - 7);
  const length = BigInt(size);
  return [merged(lanes, 11, u64(length * P1)), merged(lanes, SECRET.length - STRIPE - 11, u64(~u64(length * P2)))];
}

function accumulate(lanes: bigint[], input: Buffer, offset: number, secret: number): void {
  const before = [...lanes];
  for (const [n, lane] of before.entries()) {
    const key = at(input, offset + n * 8) ^ at(SECRET, secret + n * 8);
    const neighbour = at(input, offset + (n ^ 1) * 8);
    lanes[n] = u64(lane + neighbour + (key & 0xffffffffn) * (key >> 32n));
  }
}

function scramble(lanes: bigint[]): void {
  for (const [n, lane] of lanes.entries()) {
    lanes[n] = u64((lane ^ (lane >> 47n) ^ at(SECRET, SECRET.length - STRIPE + n * 8)) * SMALL1);
  }
}

function merged(lanes: readonly bigint[], secret: number, start: bigint): bigint {
  let sum = start;
  for (let n = 0; n < lanes.length; n += 2) {
    const [a = 0n, b = 0n] = [lanes[n], lanes[n + 1]];
    sum += fold(a ^ at(SECRET, secret + n * 8), b ^ at(SECRET, secret + n * 8 + 8));
  }
  return avalanche(u64(sum));
}
