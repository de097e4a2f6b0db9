import { ERRORS, type ErrorCode, WritError } from '../../../core/errors.ts';
import { WritApiError, type WritClient, WritConnectionError } from '../../client/index.ts';
import type { CommandContext } from '../command.ts';
import { secretIn } from '../key-file.ts';

export interface KeyFlags {
  readonly key?: string;
}

/** The words of `--key`. */
export const KEY_OPTION = ['--key <file>', "API key to ask with; the operator's of the first start unless given"] as const;

/**
 * The API of this data directory: it alone knows the task index, the stream of changes and who is logged in.
 *
 * @throws WritError INVALID_ARGUMENT for a key that cannot be read, WRONG_STATE when nobody knows where the API is
 */
export async function openApi(context: CommandContext, { key }: KeyFlags): Promise<WritClient> {
  const { WritClient: Client } = await import('../../client/index.ts');
  const { access } = await context.services();
  const secret = await secretIn(key ?? access.secretFile('operator'));
  return new Client({ baseUrl: access.apiUrl(), key: secret, userAgent: `writ/${context.version}`, retries: 1 });
}

/** What the API refused, or that it does not answer, as an error of this program. Throws always. */
export function asCliError(error: unknown): never {
  if (error instanceof WritApiError && isOurs(error.code)) {
    throw new WritError(error.code, error.detail, { ...(error.field === undefined ? {} : { field: error.field }), cause: error });
  }
  if (error instanceof WritConnectionError) {
    throw new WritError('API_UNAVAILABLE', `the API of this data directory does not answer: ${error.message}`, { cause: error });
  }
  throw error;
}

function isOurs(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Runs what asks the API; its errors become those of this program. */
export async function fromApi<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    return asCliError(error);
  }
}
