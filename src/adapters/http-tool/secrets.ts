import { failed, ok, type Result } from '../../core/result.ts';
import { readSmallFile } from '../files/small-file.ts';

/** A variable of the worker's environment; the composition root reads it. */
export type Environment = (name: string) => string | undefined;

/** A refusal names the secret as the binding does, never its value or its place. */
export type SecretsRead = Result<ReadonlyMap<string, string>, string>;

const MAX_SECRET_BYTES = 16 * 1024;

/** Shorter ones would be found in answers by chance, and answers would be shredded instead of scrubbed. */
const MIN_SECRET_BYTES = 8;

/**
 * Reads the secrets of a binding anew: one that was changed is good for the next request. All are read, so that all are
 * scrubbed; only those in `needed` must be there.
 */
export async function readSecrets(references: Readonly<Record<string, string>>, needed: ReadonlySet<string>, environment: Environment): Promise<SecretsRead> {
  const secrets = new Map<string, string>();
  for (const [name, reference] of Object.entries(references)) {
    const read = await readSecret(reference, environment);
    if (!read.ok) {
      if (needed.has(name)) return failed(`the secret ${name} ${read.error}`);
      continue;
    }
    secrets.set(name, read.value);
  }
  return ok(secrets);
}

async function readSecret(reference: string, environment: Environment): Promise<Result<string, string>> {
  const read = reference.startsWith('env:')
    ? fromEnvironment(reference.slice(4), environment)
    : await readSmallFile(reference.slice(5), MAX_SECRET_BYTES, true);
  if (!read.ok) return read;
  const text = read.value.replace(/\r?\n$/, '');
  return Buffer.byteLength(text) < MIN_SECRET_BYTES ? failed(`is shorter than ${MIN_SECRET_BYTES} bytes, too short to be kept out of answers`) : ok(text);
}

function fromEnvironment(name: string, environment: Environment): Result<string, string> {
  const text = environment(name);
  return text === undefined ? failed('is not set in the environment of the worker') : ok(text);
}
