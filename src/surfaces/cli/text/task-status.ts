import type { Standing } from '../../shared/tasks/standing.ts';
import { duration } from './words.ts';

/** Where a task stands, in JSON: `state`, and the result as it was signed. */
export function standingLine(standing: Standing): Record<string, unknown> {
  switch (standing.state) {
    case 'finished':
      return { state: standing.outcome.status === 'SUCCESS' ? 'success' : 'failure', from: standing.from, result: standing.outcome };
    case 'waiting':
      return { state: 'waiting', since: new Date(standing.since).toISOString(), detail: standing.detail, cancel_requested: standing.cancelRequested };
    case 'running':
      return { state: 'running', since: new Date(standing.since).toISOString(), worker: standing.owner, cancel_requested: standing.cancelRequested };
    case 'malformed':
      return { state: 'failure', from: 'queue', message: standing.message };
    case 'unknown':
      return { state: 'unknown' };
  }
}

/** The same in one sentence. `now`: milliseconds since 1970. */
export function standingText(standing: Standing, now: number): string {
  switch (standing.state) {
    case 'finished': {
      const { error } = standing.outcome;
      return error === null ? 'SUCCESS' : `FAILURE ${error.error_code}: ${error.message}`;
    }
    case 'waiting':
      return `waiting for ${duration(now - standing.since)}: ${standing.detail}${standing.cancelRequested ? ', a cancel is asked' : ''}`;
    case 'running':
      return `running for ${duration(now - standing.since)}${standing.cancelRequested ? ', a cancel is asked' : ''}`;
    case 'malformed':
      return `FAILURE ${standing.message}`;
    case 'unknown':
      return 'not known';
  }
}
