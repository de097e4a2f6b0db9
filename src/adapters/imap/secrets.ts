import { rootCertificates } from 'node:tls';
import type { ImapScope } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { readSmallFile } from '../files/small-file.ts';

/** What a connection needs beside the scope. `authorities` undefined: the well-known ones. */
export interface ImapSecrets {
  readonly password: string;
  readonly authorities: string[] | undefined;
}

/** A refusal is a sentence that names neither a secret nor a place of this host. */
export type SecretsRead = { readonly ok: true; readonly secrets: ImapSecrets } | { readonly ok: false; readonly message: string };

const MAX_PASSWORD_FILE_BYTES = 4096;
const MAX_AUTHORITY_FILE_BYTES = 1024 * 1024;

/** Reads both files anew: a password that was changed is good for the next search. */
export async function readSecrets({ passwordFile, caFile }: Pick<ImapScope, 'passwordFile' | 'caFile'>): Promise<Result<ImapSecrets, string>> {
  const password = await readSmallFile(passwordFile, MAX_PASSWORD_FILE_BYTES, true);
  if (!password.ok) return failed(`the password file ${password.error}`);
  const text = password.value.replace(/\r?\n$/, '');
  if (text === '') return failed('the password file is empty');
  if (caFile === '') return ok({ password: text, authorities: undefined });

  const authority = await readSmallFile(caFile, MAX_AUTHORITY_FILE_BYTES, false);
  if (!authority.ok) return failed(`the file of the certificate authority ${authority.error}`);
  if (!authority.value.includes('-----BEGIN CERTIFICATE-----')) return failed('the file of the certificate authority holds no certificate in PEM form');
  return ok({ password: text, authorities: [...rootCertificates, authority.value] });
}
