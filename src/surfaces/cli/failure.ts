import { CommanderError } from 'commander';
import { ERRORS, type ErrorCode, type FieldProblem, isWritError, messageOf } from '../../core/errors.ts';
import { withDiskFault } from '../../core/outage.ts';

/** An error as a person and a program see it; never a stack trace. */
export interface Failure {
  readonly exit: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  /** Everything that is wrong with what was given. */
  readonly problems?: readonly FieldProblem[];
  /** What to do about it. */
  readonly hint?: string;
}

/** The sentence for the likeliest cause of a code. */
const HINTS = {
  REDIS_UNAVAILABLE: 'start it with `writ up`, or set redis.url to a server of yours',
  KERNEL_UNAVAILABLE: 'the kernel role signs leases: start everything with `writ up`, or the role alone with `writ kernel`',
  API_UNAVAILABLE: 'start it with `writ up`, or the role alone with `writ api`',
  INVALID_CONFIG: 'docs/generated/configuration.md lists every setting',
  STORAGE_UNAVAILABLE: 'look at the disk and at the permissions of the data directory with `writ doctor`',
} satisfies Partial<Record<ErrorCode, string>>;

/** Maps anything thrown to the answer of the process. Exit codes: the ERRORS table. */
export function failureOf(thrown: unknown): Failure {
  const error = withDiskFault(thrown);
  if (isWritError(error)) {
    const hint = hintOf(error.code);
    return {
      exit: ERRORS[error.code].exit,
      code: error.code,
      // Whoever sits at this terminal is to know which file it is.
      message: error === thrown ? error.message : `${error.message}: ${messageOf(thrown)}`,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(error.problems === undefined ? {} : { problems: error.problems }),
      ...(hint === undefined || error.message.includes('`writ ') ? {} : { hint }),
    };
  }
  if (error instanceof CommanderError) {
    return { exit: ERRORS.INVALID_ARGUMENT.exit, code: 'INVALID_ARGUMENT', message: error.message.replace(/^error: /, '').replaceAll('\n', ' ') };
  }
  return { exit: ERRORS.INTERNAL.exit, code: 'INTERNAL', message: messageOf(error) };
}

function hintOf(code: ErrorCode): string | undefined {
  return (HINTS as Partial<Record<ErrorCode, string>>)[code];
}

/** A line for the error, one for each further problem, one for the hint. */
export function failureText({ code, message, field, problems = [], hint }: Failure): string {
  const about = field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;
  const others = problems.slice(1).map((one) => `\n      ${one.field}: ${one.message}`);
  return `writ: ${about} (${code})${others.join('')}${hint === undefined ? '' : `\n      ${hint}`}`;
}
