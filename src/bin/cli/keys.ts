import { existsSync, linkSync, renameSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderOwnToml } from '../../../config/render.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import type { Places } from '../../data-dir/places.ts';
import { generateKey, type KeyUse, parseJwks, publicJwk, readPrivateKey, writeJwks, writePrivateKey } from '../../lease/index.ts';
import type { KeyRequest, MadeKey } from '../../surfaces/cli/services.ts';

/** Where a role's keys lie and what they are for. */
const ROLES = {
  kernel: { use: 'lease', key: 'kernelKey', keyring: 'kernelKeyring' },
  executor: { use: 'result', key: 'executorKey', keyring: 'executorKeyring' },
} as const satisfies Record<KeyRequest['role'], { use: KeyUse; key: keyof Places; keyring: keyof Places }>;

/** The data directory with settings to edit and a key for each role; whatever is there stays. */
export async function initialise(places: Places): Promise<{ configFile: string; configWritten: boolean; keys: readonly MadeKey[] }> {
  ensureDataDirectory(places.dataDir);
  const configWritten = await writeNew(places.configFile, renderOwnToml());
  return { configFile: places.configFile, configWritten, keys: await ensureKeys(places) };
}

/** Makes the keys that are missing. */
export async function ensureKeys(places: Places): Promise<readonly MadeKey[]> {
  const made: MadeKey[] = [];
  for (const role of ['kernel', 'executor'] as const) {
    if (!existsSync(places[ROLES[role].key])) made.push(await makeKey({ role }, places));
  }
  return made;
}

/**
 * A new key for a role. It is in the keyring before it can sign, so that nobody meets a signature of an unknown key; the
 * role signs with it after its next start. The key that it replaces keeps its file, under its kid, and its place in the keyring.
 */
export async function makeKey({ role, capabilities = ['*'] }: KeyRequest, places: Places): Promise<MadeKey> {
  ensureDataDirectory(places.dataDir);
  const { use, key, keyring } = ROLES[role];
  const privateFile = places[key];
  const publicFile = places[keyring];
  await mkdir(path.dirname(privateFile), { recursive: true, mode: 0o700 });
  const jwk = generateKey({ use, capabilities });
  const known = existsSync(publicFile) ? parseJwks(await readFile(publicFile, 'utf8'), publicFile) : [];
  await writeJwks(publicFile, [...known, publicJwk(jwk)]);

  const fresh = withKid(privateFile, jwk.kid);
  await writePrivateKey(fresh, jwk);
  if (existsSync(privateFile)) await keepUnderKid(privateFile);
  renameSync(fresh, privateFile);
  return { kid: jwk.kid, role, privateFile, publicFile };
}

async function keepUnderKid(privateFile: string): Promise<void> {
  const { kid } = await readPrivateKey(privateFile);
  const kept = withKid(privateFile, kid);
  if (!existsSync(kept)) linkSync(privateFile, kept);
}

/** `kernel.key.json` → `kernel.key.<kid>.json`; a kid may hold anything, a file name not. */
function withKid(file: string, kid: string): string {
  return file.replace(/\.json$/, `.${kid.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)}.json`);
}

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
