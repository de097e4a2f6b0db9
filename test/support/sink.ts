import { Writable } from 'node:stream';

/** A stream that keeps what is written to it. */
export function sinkOf(): { stream: Writable; text(): string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => parts.join('') };
}
