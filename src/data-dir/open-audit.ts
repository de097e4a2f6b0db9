import os from 'node:os';
import { systemClock } from '../core/clock.ts';
import type { PatientAuditLog } from '../core/ports/index.ts';
import { createAuditLog } from './audit-log.ts';
import { ensureDataDirectory } from './data-directory.ts';
import type { DataDirPaths } from './paths.ts';

/** The audit log of a data directory, which is made when it is missing: without the log nothing may be done. */
export function openAudit({ dataDir, audit }: DataDirPaths): PatientAuditLog {
  ensureDataDirectory(dataDir);
  return createAuditLog({ file: audit, clock: systemClock });
}

/** The operating system's word for who asks; in a container the user may have a number only. */
export function currentUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
