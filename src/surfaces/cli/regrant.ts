import type { Command } from 'commander';
import { asError } from '../shared/bulk-retry.ts';
import type { RetryEnd } from '../shared/tasks/retry.ts';
import type { BulkEnd } from './bulk/act-on-many.ts';

/** Whether a retry may ask for a new lease; absent: as `board.regrant` says. */
export interface RegrantFlags {
  readonly regrant?: boolean;
}

/** The options of every retry. */
export function withRegrant(command: Command): Command {
  return command.option('--regrant', 'ask the kernel for a new lease when the old one has expired').option('--no-regrant', 'never ask for a new lease');
}

export function regrantTerms({ regrant }: RegrantFlags): { readonly regrant?: boolean } {
  return regrant === undefined ? {} : { regrant };
}

/** As it was typed, before further words. */
export function regrantWords({ regrant }: RegrantFlags): string {
  if (regrant === undefined) return '';
  return regrant ? ' --regrant' : ' --no-regrant';
}

/** The end of a retry as one of a bulk act. */
export function errorOfRetry(end: RetryEnd): BulkEnd {
  return end.kind === 'retried' ? undefined : asError(end.error);
}
