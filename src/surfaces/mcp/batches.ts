import { type Readable, Transform, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { lineCutter } from '../../core/line-cutter.ts';
import { BATCH_VERSION, MAX_BATCH } from './batch-bounds.ts';

/** Characters of a line. */
const MAX_LINE = 32 * 1024 * 1024;

const Id = z.union([z.string(), z.number()]);
const Members = z
  .array(z.looseObject({ id: Id.optional(), method: z.string().optional() }))
  .min(1)
  .max(MAX_BATCH);
const Answer = z.looseObject({ id: Id, result: z.looseObject({ protocolVersion: z.string().optional() }).optional(), method: z.undefined().optional() });

interface Batch {
  readonly waiting: Set<string | number>;
  readonly answers: unknown[];
}

export interface Lines {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** Streams for a transport that knows single messages only: batches are taken apart, and their answers put together, once 2025-03-26 was agreed upon. */
export function withBatches({ stdin, stdout }: Lines): Lines {
  const batches = new Set<Batch>();
  let version: string | undefined;

  function singles(line: string): string {
    if (version !== BATCH_VERSION || !line.trimStart().startsWith('[')) return `${line}\n`;
    const members = membersOf(line);
    // The hello may be in no batch.
    if (members === undefined || members.some(({ method }) => method === 'initialize')) return `${line}\n`;
    const ids = members.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
    if (ids.length > 0) batches.add({ waiting: new Set(ids), answers: [] });
    return members.map((member) => `${JSON.stringify(member)}\n`).join('');
  }

  /** What is to be written now that this message is: nothing while others of its batch are to come. */
  function together(line: string): string {
    if (version !== undefined && batches.size === 0) return line;
    const answer = Answer.safeParse(JSON.parse(line)).data;
    if (answer === undefined) return line;
    version ??= answer.result?.protocolVersion;
    const batch = [...batches].find(({ waiting }) => waiting.has(answer.id));
    if (batch === undefined) return line;
    batch.waiting.delete(answer.id);
    batch.answers.push(answer);
    if (batch.waiting.size > 0) return '';
    batches.delete(batch);
    return `${JSON.stringify(batch.answers)}\n`;
  }

  const cut = lineCutter(MAX_LINE);
  const decoder = new StringDecoder('utf8');
  const input = new Transform({
    transform(piece: Buffer, _encoding, done) {
      const lines = cut(decoder.write(piece));
      if (lines === undefined) return done(new Error(`a message has more than ${MAX_LINE} characters`));
      for (const line of lines) this.push(singles(line));
      done();
    },
  });
  const output = new Writable({
    decodeStrings: false,
    write(piece: string | Buffer, _encoding, done) {
      const text = together(String(piece));
      if (text === '') done();
      else stdout.write(text, done);
    },
  });
  stdin.once('close', () => input.end());
  return { stdin: stdin.pipe(input), stdout: output };
}

function membersOf(line: string): z.infer<typeof Members> | undefined {
  try {
    return Members.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
