import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import { MESSAGE_DATABASE_LABELS, type MESSAGE_DATABASE_LEFT } from './message-search-rows.ts';
import type { Metrics } from './metrics.ts';

/** What a search found when it asked a server of PostgreSQL. */
export interface DatabaseFinding {
  readonly server: string;
  readonly found: 'answered' | (typeof MESSAGE_DATABASE_LEFT)[number];
  /** Changes that it lacked; `null`: nobody knows. */
  readonly behind: number | null;
  readonly message?: string;
}

/** Which servers of PostgreSQL answer searches in messages, and why others do not, counted and logged. */
export function messageDatabaseTelemetry(metrics: Metrics, log: Pick<Logger, 'debug' | 'info'>): (finding: DatabaseFinding) => void {
  return ({ server: name, found, behind, message: reason }) => {
    const server = MESSAGE_DATABASE_LABELS.find((label) => label === name);
    if (server === undefined) return;
    if (behind !== null) metrics.set('writ_message_database_behind_changes', { server }, behind);
    if (found === 'answered') return metrics.inc('writ_message_database_answers_total', { server });
    metrics.inc('writ_message_database_left_total', { server, why: found });
    log[found === 'behind' ? 'debug' : 'info']({ server, why: found, behind, reason }, LOG_LINES.messageDatabaseLeft.message);
  };
}
