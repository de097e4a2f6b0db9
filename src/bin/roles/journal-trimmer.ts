import type { Config } from '../../../config/schema.ts';
import { createJournalTrimmer } from '../../../processors/journal-trimmer.ts';
import { systemClock } from '../../core/clock.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { FileJournal } from '../../core/ports/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Metrics } from '../../observability/metrics.ts';

const HOUR_MS = 3_600_000;

/** Trims a journal of this host by `journal.retention_s`, every hour. */
export function journalTrimmer(
  journal: Pick<FileJournal, 'trim'>,
  { config, log, metrics }: { readonly config: Config; readonly log: Logger; readonly metrics: Metrics },
  counter: 'writ_journal_trimmed_total' | 'writ_plans_trimmed_total' = 'writ_journal_trimmed_total',
): Lifecycle {
  return createJournalTrimmer({
    journal,
    retentionMs: config.journal.retention_s * 1000,
    everyMs: HOUR_MS,
    clock: systemClock,
    onTrimmed: (trimmed) => metrics.inc(counter, {}, trimmed),
    onError: (error) => log.warn({ err: error }, LOG_LINES.journalTrim.message),
  });
}
