import { linkSync, renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createExclusively } from '../adapters/files/create-exclusively.ts';
import { isThere } from '../adapters/files/is-there.ts';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { generateKey, type KeyUse, parseJwks, publicJwk } from '../lease/index.ts';
import { ensureDataDirectory } from './data-directory.ts';
import { readPrivateKey, writeJwks, writePrivateKey } from './key-files.ts';
import type { DataDirPaths } from './paths.ts';

/** The roles that sign. */
export type SigningRole = 'kernel' | 'executor' | 'webhook';

export interface NewKey {
  readonly role: SigningRole;
  /** What the new key may sign; all capabilities unless given. */
  readonly capabilities?: readonly string[];
}

/** A key that was made; the private part stays in its file. */
export interface MadeKey {
  readonly kid: string;
  readonly role: string;
  readonly privateFile: string;
  readonly publicFile: string;
}

/** Where a role's keys lie and what they are for. */
const ROLES = {
  kernel: { use: 'lease', key: 'kernelKey', keyring: 'kernelKeyring' },
  executor: { use: 'result', key: 'executorKey', keyring: 'executorKeyring' },
  webhook: { use: 'webhook', key: 'webhookKey', keyring: 'webhookKeyring' },
} as const satisfies Record<SigningRole, { use: KeyUse; key: keyof DataDirPaths; keyring: keyof DataDirPaths }>;

/**
 * The data directory with settings to edit and a key for each role; whatever is there stays.
 *
 * @param settings text of the file of settings, where there is none yet
 */
export async function initialise(places: DataDirPaths, settings: string): Promise<{ configFile: string; configWritten: boolean; keys: readonly MadeKey[] }> {
  ensureDataDirectory(places.dataDir);
  const configWritten = createExclusively(places.configFile, settings);
  return { configFile: places.configFile, configWritten, keys: await ensureKeys(places) };
}

/** Makes the keys that are missing: those of kernel and executor, unless other roles are named. */
export async function ensureKeys(places: DataDirPaths, roles: readonly SigningRole[] = ['kernel', 'executor']): Promise<readonly MadeKey[]> {
  const made: MadeKey[] = [];
  for (const role of roles) {
    if (!isThere(places[ROLES[role].key])) made.push(await makeKey({ role }, places));
  }
  return made;
}

/**
 * A new key for a role. It is in the keyring before it can sign, so that nobody meets a signature of an unknown key; the
 * role signs with it after its next start. The key that it replaces keeps its file, under its kid, and its place in the keyring.
 */
export async function makeKey({ role, capabilities = ['*'] }: NewKey, places: DataDirPaths): Promise<MadeKey> {
  ensureDataDirectory(places.dataDir);
  const { use, key, keyring } = ROLES[role];
  const privateFile = places[key];
  const publicFile = places[keyring];
  makeDirectory(path.dirname(privateFile));
  const jwk = generateKey({ use, capabilities });
  const known = isThere(publicFile) ? parseJwks(await readFile(publicFile, 'utf8'), publicFile) : [];
  await writeJwks(publicFile, [...known, publicJwk(jwk)]);

  const fresh = withKid(privateFile, jwk.kid);
  await writePrivateKey(fresh, jwk);
  if (isThere(privateFile)) await keepUnderKid(privateFile);
  renameSync(fresh, privateFile);
  return { kid: jwk.kid, role, privateFile, publicFile };
}

async function keepUnderKid(privateFile: string): Promise<void> {
  const { kid } = await readPrivateKey(privateFile);
  const kept = withKid(privateFile, kid);
  if (!isThere(kept)) linkSync(privateFile, kept);
}

/** `kernel.key.json` → `kernel.key.<kid>.json`; a kid may hold anything, a file name not. */
function withKid(file: string, kid: string): string {
  return file.replace(/\.json$/, `.${kid.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)}.json`);
}
