import { readFile, stat } from 'node:fs/promises';
import type { Role } from '../../contracts/index.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import type { SearchGrant } from '../../core/ports/index.ts';
import type { CliServices } from './services.ts';

/** Whom a key makes of the one who runs a command. */
export interface KeyHolder {
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  readonly grant?: SearchGrant | undefined;
  readonly account: string;
}

/** No secret is longer. */
const MAX_BYTES = 4096;

/**
 * The holder of the key whose secret lies in a file, for `--key`. It lets a command do less than the person who runs it may: an
 * agent that is started with it sees no more than over HTTP.
 *
 * @throws WritError INVALID_ARGUMENT (`--key`) for a file without a key of this data directory
 */
export async function holderOfKey(file: string, { access }: Pick<CliServices, 'access'>): Promise<KeyHolder> {
  const key = await (await access.keys()).find(await secretIn(file));
  if (key === undefined) throw new WritError('INVALID_ARGUMENT', `${file} holds no key that is good here: \`writ key list\` shows them`, { field: '--key' });
  return { name: key.name, roles: new Set(key.roles), grant: key.grant, account: `key:${key.id}` };
}

/** The secret in a file. Throws WritError INVALID_ARGUMENT (`--key`). */
export async function secretIn(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new Error('it is too large for a secret');
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new WritError('INVALID_ARGUMENT', `the key ${file} cannot be read: ${messageOf(error)}`, { field: '--key', cause: error });
  }
}
