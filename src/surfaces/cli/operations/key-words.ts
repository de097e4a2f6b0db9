import { ROLES, Role } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ApiKey } from '../../../core/ports/index.ts';
import type { ApiAccess } from '../services.ts';

/** Where a new secret goes: into a file, or onto the terminal. */
export interface SecretFlags {
  readonly out?: string;
  readonly print?: boolean;
}

/** @throws WritError INVALID_ARGUMENT */
export function rolesOf(list: string): Role[] {
  return list.split(',').map((word) => {
    const role = Role.safeParse(word.trim());
    if (!role.success) throw new WritError('INVALID_ARGUMENT', `'${word.trim()}' is none of ${ROLES.join(', ')}`, { field: '--roles' });
    return role.data;
  });
}

/** The file for a secret, `undefined` when it is printed. Throws WritError INVALID_ARGUMENT for both at once. */
export function fileFor(name: string, { out, print }: SecretFlags, access: ApiAccess): string | undefined {
  if (print === true && out !== undefined) throw new WritError('INVALID_ARGUMENT', '--print and --out exclude each other', { field: '--print' });
  return print === true ? undefined : (out ?? access.secretFile(name));
}

/** A key in JSON, in the words of the API. */
export function keyJson({ id, name, roles, createdAt, expiresAt }: ApiKey): Record<string, unknown> {
  return { id, name, roles, created_at: createdAt, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
}

/** Where the secret is now, for a program and for a person. */
export function whereabouts(file: string | undefined, secret: string): { readonly json: Record<string, string>; readonly line: string } {
  return file === undefined ? { json: { secret }, line: `secret  ${secret}` } : { json: { file }, line: `secret  in ${file}` };
}
