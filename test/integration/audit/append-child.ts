import { systemClock } from '../../../src/core/clock.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';

/** Appends `count` records as `name`, `together` at a time, in files of `maxBytes`, and says the number of each when it is durable. */
const [file = '', name = '', count = '0', together = '1', maxBytes = '0'] = process.argv.slice(2);
const log = createAuditLog({ file, clock: systemClock, rotation: { maxBytes: Number(maxBytes), maxAgeMs: 0 } });
for (let at = 0; at < Number(count); at += Number(together)) {
  const wishes = Array.from({ length: Number(together) }, (_, more) =>
    log.append({ surface: 'cli', who: name, action: 'task.retry', subject: `${name}-${at + more}`, outcome: 'asked' }),
  );
  for (const { n, subject } of await Promise.all(wishes)) process.stdout.write(`${n} ${subject}\n`);
}
