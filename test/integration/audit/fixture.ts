import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import type { OperatorAction, PatientAuditLog } from '../../../src/core/ports/index.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';

/** An audit log in a directory of its own. */
export interface Log {
  readonly directory: string;
  readonly file: string;
  readonly log: PatientAuditLog;
  /** Appends one after the other. */
  append(...subjects: readonly string[]): Promise<void>;
  lines(): string[];
  remove(): void;
}

export function freshLog(): Log {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-audit-'));
  const file = path.join(directory, 'audit.ndjson');
  const log = createAuditLog({ file, clock: systemClock });
  return {
    directory,
    file,
    log,
    async append(...subjects) {
      for (const subject of subjects) await log.append(asked(subject));
    },
    lines: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export function asked(subject: string): OperatorAction {
  return { surface: 'cli', who: 'tester', action: 'task.retry', subject, outcome: 'asked' };
}
