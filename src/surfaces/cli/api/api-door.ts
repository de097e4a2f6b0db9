import { ROLES } from '../../../contracts/index.ts';
import { ERRORS, type ErrorCode, WritError } from '../../../core/errors.ts';
import { WritApiError, type WritClient, WritConnectionError } from '../../client/index.ts';
import type { CommandContext } from '../command.ts';
import { secretIn } from '../key-file.ts';

export interface KeyFlags {
  readonly key?: string;
}

/** The words of `--key`. */
export const KEY_OPTION = ['--key <file>', "API key to ask with; the operator's of the first start unless given"] as const;

/** The API of this data directory, and the key with which a command asks it. */
export interface ReachedApi {
  readonly client: WritClient;
  /** Asks; what the API refuses is an error of this program. */
  ask<T>(question: (client: WritClient) => Promise<T>): Promise<T>;
  /** What the API refused, or that it does not answer, as an error of this program. */
  refusal(error: unknown): unknown;
}

/**
 * The API of this data directory: it alone knows the task index, the stream of changes and who is logged in.
 *
 * @throws WritError INVALID_ARGUMENT for a key that cannot be read, WRONG_STATE when nobody knows where the API is
 */
export async function openApi(context: CommandContext, { key }: KeyFlags): Promise<ReachedApi> {
  const { WritClient: Client } = await import('../../client/index.ts');
  const { access } = await context.services();
  const file = key ?? access.secretFile(OPERATOR);
  const secret = await secretIn(file);
  const client = new Client({ baseUrl: access.apiUrl(), key: secret, userAgent: `writ/${context.version}`, retries: 1 });
  const refusal = (error: unknown): unknown => cliError(error, { file, isOperators: key === undefined });
  return {
    client,
    refusal,
    async ask(question) {
      try {
        return await question(client);
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

/** The name of the key that the first start makes. */
const OPERATOR = 'operator';

interface UsedKey {
  readonly file: string;
  /** Nobody named another one. */
  readonly isOperators: boolean;
}

function cliError(error: unknown, used: UsedKey): unknown {
  if (error instanceof WritApiError && isOurs(error.code)) {
    if (error.code === 'UNAUTHORIZED') return new WritError(error.code, deadKey(used), { field: '--key', cause: error });
    return new WritError(error.code, error.detail, { ...(error.field === undefined ? {} : { field: error.field }), cause: error });
  }
  if (error instanceof WritConnectionError) {
    return new WritError('API_UNAVAILABLE', `the API of this data directory does not answer: ${error.message}`, { cause: error });
  }
  return error;
}

/** Whoever has revoked or replaced a key learns here which commands had used it. */
function deadKey({ file, isOperators }: UsedKey): string {
  const anew = isOperators ? `: \`writ key rotate <id>\`, or, where it is gone, \`writ key create ${OPERATOR} --roles ${ROLES.join(',')}\`` : '';
  return `the API does not take the key in ${file}: it was revoked or given another secret, or has expired. \`writ key list\` shows the keys; name another file with --key, or write this one anew${anew}`;
}

function isOurs(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
