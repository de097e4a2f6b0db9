import type { HostEvent } from '../../content-search/ngram-index/indexer/types.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';

type Of<K extends HostEvent['kind']> = Extract<HostEvent, { kind: K }>;

/** How what happens in an index host is logged. */
const LOGGED = {
  state: (log, root, { after, rows }) => log.info({ root, state: after.state, reason: after.reason, rows }, LOG_LINES.indexState.message),
  veto: (log, root, { veto }) => log.info({ root, veto }, LOG_LINES.indexVeto.message),
  task(log, root, { task, outcome, detail, elapsedMs: ms }) {
    log[task === 'update' ? 'debug' : 'info']({ root, task, outcome, detail, ms }, LOG_LINES.indexTask.message);
  },
  armed(log, root, { result }) {
    if (result.ok) log.info({ root, directories: result.directories, warnings: result.warnings }, LOG_LINES.indexWatched.message);
    else log.warn({ root, refused: result.refused }, LOG_LINES.indexUnwatched.message);
  },
  'records-lost': (log, root, { message }) => log.error({ root, problem: message }, LOG_LINES.indexRecordsLost.message),
} satisfies { readonly [K in HostEvent['kind']]: (log: Logger, root: string, event: Of<K>) => void };

/** @param root directory that the index is of */
export function logIndexEvent(log: Logger, root: string, event: HostEvent): void {
  (LOGGED[event.kind] as (log: Logger, root: string, event: HostEvent) => void)(log, root, event);
}
