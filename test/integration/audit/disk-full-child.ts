import { rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { verifyAuditFile } from '../../../src/data-dir/audit-reader.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: fills a file system of 1 MiB under an audit log, makes room, and goes on. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 20, command: 'npm test' });

const file = path.join(directory, 'audit.ndjson');
const filler = path.join(directory, 'filler');
/** Why a file could not be closed; `over`: it was, or it is due no more. */
const told: string[] = [];
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'over');
const log = createAuditLog({ file, clock: systemClock, rotation: { maxBytes: 500, maxAgeMs: 0 }, onRotation: (error) => told.push(codeOf(error)) });
const append = (subject: string) => log.append({ surface: 'cli', who: 'x'.repeat(500), action: 'task.retry', subject, outcome: 'asked' });
await append('first');
fillDisk(filler);

let taken = 1;
const codes = new Set<string>();
for (let round = 0; codes.size === 0; round += 1) {
  for (const answer of await Promise.allSettled(Array.from({ length: 10 }, (_, at) => append(`${round}-${at}`)))) {
    if (answer.status === 'fulfilled') taken += 1;
    else codes.add(isWritError(answer.reason) ? answer.reason.code : String(answer.reason));
  }
}
const full = await verifyAuditFile(file);
rmSync(filler);
const after = await append('after');
process.stdout.write(`${JSON.stringify({ codes: [...codes], taken, told, full, after: after.n, end: await verifyAuditFile(file) })}\n`);
