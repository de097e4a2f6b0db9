import path from 'node:path';
import { createChainCheck, GENESIS, type Link, readLine } from '../core/audit-chain.ts';
import { WritError } from '../core/errors.ts';
import type { AuditReader, AuditReport, OperatorRecord } from '../core/ports/audit.ts';
import { MAX_AHEAD } from './audit-end.ts';
import { openToRead, unavailable } from './audit-file.ts';
import { type ClosedFile, closedFileOf, type Snapshot, snapshot } from './audit-files.ts';
import { headFileOf } from './audit-head.ts';
import { whyNotNew } from './audit-late.ts';
import { type Lines, linesOf } from './audit-lines.ts';

/** Reads the audit log of a data directory, beside whoever writes it. */
export function createAuditReader(file: string): AuditReader {
  return { verify: (after) => verifyAuditFile(file, after), records: () => recordsOf(file) };
}

/**
 * Checks every line of a log over all of its files, in constant memory, and its end against the noted head. A log that
 * does not exist is a good one without records, unless its head says otherwise.
 *
 * @param after a record that is known to be good: what is before it need not be there
 * @throws WritError STORAGE_UNAVAILABLE when it cannot be read
 */
export async function verifyAuditFile(file: string, after: Link = GENESIS): Promise<AuditReport> {
  try {
    await using log = await snapshot(file);
    const check = createChainCheck(after);
    let files = 0;
    let headHash = after.hash;
    const report = (brokenAt?: AuditReport['brokenAt']): AuditReport => ({
      records: check.link.n,
      ok: brokenAt === undefined,
      unchained: check.unchained,
      head: check.link.hash,
      files,
      ...(brokenAt === undefined ? {} : { brokenAt }),
    });
    const { head } = log;
    if (typeof head === 'string') return report({ file: path.basename(headFileOf(file)), line: 0, why: head });
    let line = 0;
    for (const part of partsOf(file, log).filter(({ last }) => last === undefined || last > after.n)) {
      line = 0;
      files += 1;
      const broken = (why: string) => report({ file: path.basename(part.file), line, why });
      const before = check.link;
      for await (const { lines, torn } of part.lines()) {
        for (const bytes of lines) {
          line += 1;
          const why = check.take(bytes);
          if (why !== undefined) return broken((line === 1 && misplaced(bytes, before, part, file)) || why);
          if (check.link.n === head?.n) headHash = check.link.hash;
        }
        if (torn.length === 0) continue;
        line += 1;
        return broken(part.last === undefined ? TORN_END : 'is cut off: the file was whole when it was closed');
      }
      if (part.last !== undefined && check.link.n !== part.last)
        return broken(`ends the file with record ${check.link.n}, but by its name the file ends with record ${part.last}: its end was cut off`);
    }
    if (head !== undefined && after.n > Math.max(head.n, check.read))
      return { ...report({ file: path.basename(file), line, why: endsBefore(after, head) }), records: head.n };
    const why = endFault(check.link, head, headHash, file) ?? (head === undefined ? await whyNotNew(file) : undefined);
    return report(why === undefined ? undefined : { file: path.basename(file), line, why });
  } catch (error) {
    throw unavailable(file, error);
  }
}

const TORN_END = 'is cut off (a crash in the middle of a write leaves this; the next action sets it aside)';

/** One file of a log; `last` is for a closed one what its name says. */
interface Part {
  readonly file: string;
  readonly last: number | undefined;
  lines(): AsyncGenerator<Lines>;
}

function partsOf(file: string, { closed, open, size }: Snapshot): readonly Part[] {
  const parts: readonly Part[] = closed.map((one) => ({ ...one, lines: () => closedLines(one) }));
  return open === undefined ? parts : [...parts, { file, last: undefined, lines: () => linesOf(open, size) }];
}

async function* closedLines({ file }: ClosedFile): AsyncGenerator<Lines> {
  const handle = await openToRead(file);
  if (!handle) throw new WritError('STORAGE_UNAVAILABLE', `${file} went away while it was to be read`);
  try {
    yield* linesOf(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** What the first record of a file tells about the file: one before it is missing, or it stands in another's place. */
function misplaced(line: Uint8Array, before: Link, { last }: Part, file: string): string | undefined {
  const record = readLine(line);
  if (typeof record === 'string') return undefined;
  const { n } = record;
  if (last !== undefined && n > last) return `has the number ${n}, but by its name the file ends with record ${last}: it is another file`;
  if (n > before.n + 1) return `has the number ${n}, but record ${before.n + 1} comes next: ${path.basename(closedFileOf(file, n - 1))} is missing`;
  if (n <= before.n) return `has the number ${n}, which stands in a file before: it is another file, or a copy`;
  return record.prev === before.hash ? undefined : `does not follow from record ${before.n} of the file before: one of the two is another file`;
}

/** Nobody has written the record from which on the log was to be looked at. */
function endsBefore(after: Link, head: Link): string {
  return `is the last one with record ${head.n}: record ${after.n}, which is said to be good, is not of this log, or its end and head were put back`;
}

/** What the head says about the end of the chain. The log may be ahead of it, after a crash between the two. */
function endFault(link: Link, head: Link | undefined, hashAtHead: string, file: string): string | undefined {
  if (head === undefined) return link.n === 0 ? undefined : `is the last one, but ${headFileOf(file)}, which would tell whether the end is missing, is gone`;
  if (head.n > link.n) return `is the last one with record ${link.n}, but record ${head.n} was written: the end was cut off`;
  if (link.n - head.n > MAX_AHEAD) return `is the last one with record ${link.n}, but record ${head.n} is the last that was noted: no crash leaves that`;
  if (head.n > 0 && head.hash !== hashAtHead) return `belongs to a chain whose record ${head.n} is not the one that was written`;
  return undefined;
}

async function* recordsOf(file: string): AsyncGenerator<OperatorRecord> {
  try {
    await using log = await snapshot(file);
    for (const part of partsOf(file, log)) {
      for await (const { lines } of part.lines()) {
        for (const line of lines) {
          const record = readLine(line);
          if (typeof record !== 'string') yield record;
        }
      }
    }
  } catch (error) {
    throw unavailable(file, error);
  }
}
