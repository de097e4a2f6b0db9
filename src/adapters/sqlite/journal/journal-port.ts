import { WritError } from '../../../core/errors.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { FileJournal } from '../../../core/ports/journal.ts';
import type { Settled } from './journal-group-commit.ts';
import type { JournalAnswers, JournalArguments, JournalOperation, JournalReply, JournalRequest } from './journal-requests.ts';

export interface SqliteFileJournal extends FileJournal, Lifecycle {
  /** Random name of this journal file, made with it. Throws WritError STORAGE_UNAVAILABLE before the first `start`. */
  dataId(): string;
}

/** The methods of the port over something that answers requests. */
export function journalPort(answer: (request: JournalRequest) => Promise<unknown>): FileJournal {
  async function ask<K extends JournalOperation>(op: K, ...args: JournalArguments[K]): Promise<JournalAnswers[K]> {
    // The pair of op and args is checked by this signature; the union of all pairs cannot say so.
    const request = { op, args } as JournalRequest;
    return (await answer(request)) as JournalAnswers[K];
  }
  return {
    view: (...args) => ask('view', ...args),
    open: (...args) => ask('open', ...args),
    seal: (...args) => ask('seal', ...args),
    publish: (...args) => ask('publish', ...args),
    adopt: (...args) => ask('adopt', ...args),
    close: (...args) => ask('close', ...args),
    openAttempts: (...args) => ask('openAttempts', ...args),
    successes: (...args) => ask('successes', ...args),
    reportIncident: (...args) => ask('reportIncident', ...args),
    incidents: (...args) => ask('incidents', ...args),
    vaultEntries: (...args) => ask('vaultEntries', ...args),
    vaultUsage: (...args) => ask('vaultUsage', ...args),
    vaultForget: (...args) => ask('vaultForget', ...args),
    counts: (...args) => ask('counts', ...args),
  };
}

export function settled(reply: JournalReply): Settled {
  return reply.ok ? { answer: reply.answer } : { error: new WritError(reply.code, reply.message) };
}

export function notRunning(): WritError {
  return new WritError('STORAGE_UNAVAILABLE', 'the journal is not running');
}
