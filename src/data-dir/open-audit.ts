import os from 'node:os';
import { systemClock } from '../core/clock.ts';
import type { PatientAuditLog } from '../core/ports/index.ts';
import { createAuditLog } from './audit-log.ts';
import { ensureDataDirectory } from './data-directory.ts';
import type { DataDirPaths } from './paths.ts';

/** When the settings want a file of the log closed; 0: never for that. */
export interface AuditSettings {
  readonly rotate_mb: number;
  readonly rotate_s: number;
}

const MIB = 1024 * 1024;

/**
 * The audit log of a data directory, which is made when it is missing: without the log nothing may be done.
 *
 * @param settings without, this writer closes no file
 * @param onRotation told once why a file which is due cannot be closed, and undefined when that is over
 */
export function openAudit({ dataDir, audit }: DataDirPaths, settings?: AuditSettings, onRotation?: (error: unknown) => void): PatientAuditLog {
  ensureDataDirectory(dataDir);
  const rotation = settings && { maxBytes: settings.rotate_mb * MIB, maxAgeMs: settings.rotate_s * 1000 };
  return createAuditLog({ file: audit, clock: systemClock, rotation, onRotation });
}

/** The operating system's word for who asks; in a container the user may have a number only. */
export function currentUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
