const NEWLINE = 10;

/** A column of many rows as bytes, a line for each, from the first on. */
export class PackedLines {
  readonly bytes: Buffer;
  from = 0;
  to = -1;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  next(): void {
    this.from = this.to + 1;
    const to = this.bytes.indexOf(NEWLINE, this.from);
    this.to = to < 0 ? this.bytes.length : to;
  }

  /** The same where it is known what is in the line, and so its end. False where that is not the end. */
  nextTo(end: number): boolean {
    if (end !== this.bytes.length && this.bytes[end] !== NEWLINE) return false;
    this.from = this.to + 1;
    this.to = end;
    return true;
  }

  get text(): string {
    return this.bytes.toString('utf8', this.from, this.to);
  }

  /** There was a line each time, and there is no other one. */
  get isAtEnd(): boolean {
    return this.to === this.bytes.length && this.from <= this.to;
  }
}
