import { waitForFileLock } from '../adapters/files/file-lock.ts';
import { createChainCheck, type Link, readLine } from '../core/audit-chain.ts';
import { isWritError } from '../core/errors.ts';
import type { AuditReader, AuditReport, OperatorRecord } from '../core/ports/audit.ts';
import { MAX_AHEAD } from './audit-end.ts';
import { openToRead, unavailable } from './audit-file.ts';
import { headFileOf, readHead } from './audit-head.ts';
import { whyNotNew } from './audit-late.ts';
import { linesOf } from './audit-lines.ts';

/** Reads the audit log of a data directory, beside whoever writes it. */
export function createAuditReader(file: string): AuditReader {
  return { verify: () => verifyAuditFile(file), records: () => recordsOf(file) };
}

/**
 * Checks every line of a log, in constant memory, and its end against the noted head. A log that does not exist is a
 * good one without records, unless its head says otherwise.
 *
 * @throws WritError STORAGE_UNAVAILABLE when it cannot be read
 */
export async function verifyAuditFile(file: string): Promise<AuditReport> {
  const handle = await openToRead(file);
  try {
    const { size, head } = await snapshot(file);
    const check = createChainCheck();
    let line = 0;
    let headHash = check.link.hash;
    const report = (brokenAt?: AuditReport['brokenAt']): AuditReport => ({
      records: check.link.n,
      ok: brokenAt === undefined,
      unchained: check.unchained,
      head: check.link.hash,
      ...(brokenAt === undefined ? {} : { brokenAt }),
    });
    if (typeof head === 'string') return report({ line: 0, why: head });
    if (handle) {
      for await (const { lines, torn } of linesOf(handle, size)) {
        for (const bytes of lines) {
          line += 1;
          const why = check.take(bytes);
          if (why !== undefined) return report({ line, why });
          if (check.link.n === head?.n) headHash = check.link.hash;
        }
        if (torn.length > 0) return report({ line: line + 1, why: 'is cut off (a crash in the middle of a write leaves this; the next action sets it aside)' });
      }
    }
    const why = endFault(check.link, head, headHash, file) ?? (head === undefined ? await whyNotNew(file) : undefined);
    return report(why === undefined ? undefined : { line, why });
  } catch (error) {
    throw unavailable(file, error);
  } finally {
    await handle?.close();
  }
}

/** What the head says about the end of the chain. The log may be ahead of it, after a crash between the two. */
function endFault(link: Link, head: Link | undefined, hashAtHead: string, file: string): string | undefined {
  if (head === undefined) return link.n === 0 ? undefined : `is the last one, but ${headFileOf(file)}, which would tell whether the end is missing, is gone`;
  if (head.n > link.n) return `is the last one with record ${link.n}, but record ${head.n} was written: the end was cut off`;
  if (link.n - head.n > MAX_AHEAD) return `is the last one with record ${link.n}, but record ${head.n} is the last that was noted: no crash leaves that`;
  if (head.n > 0 && head.hash !== hashAtHead) return `belongs to a chain whose record ${head.n} is not the one that was written`;
  return undefined;
}

/** Length and head of the same moment, between two writes; a damaged head as its message. */
async function snapshot(file: string): Promise<{ size: number; head: Link | string | undefined }> {
  // A handle of its own: the lock goes with it, while the reading may take long.
  const handle = await openToRead(file);
  try {
    if (handle) await waitForFileLock(handle.fd, file);
    const size = handle ? (await handle.stat()).size : 0;
    const head = await readHead(file).catch((error: unknown) => {
      if (isWritError(error)) return error.message;
      throw error;
    });
    return { size, head };
  } finally {
    await handle?.close();
  }
}

async function* recordsOf(file: string): AsyncGenerator<OperatorRecord> {
  const handle = await openToRead(file);
  if (!handle) return;
  try {
    for await (const { lines } of linesOf(handle, (await handle.stat()).size)) {
      for (const line of lines) {
        const record = readLine(line);
        if (typeof record !== 'string') yield record;
      }
    }
  } catch (error) {
    throw unavailable(file, error);
  } finally {
    await handle.close();
  }
}
