import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isThere } from '../adapters/files/is-there.ts';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { replaceFileDurably } from '../adapters/files/replace-file.ts';
import { readSmallFile } from '../adapters/files/small-file.ts';
import { ROLES } from '../contracts/index.ts';
import { audited } from '../core/audited.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { localUrl } from '../core/local-url.ts';
import type { ApiKeyStore } from '../core/ports/index.ts';
import { checkedKeyName, createApiKeyStore, isSecret } from './api-keys.ts';
import { ensureDataDirectory } from './data-directory.ts';
import { createLoginLinks } from './login-links.ts';
import { currentUser, openAudit } from './open-audit.ts';
import type { DataDirPaths } from './paths.ts';

/** No secret is longer. */
const MAX_SECRET_BYTES = 4096;

/** Where the settings put the API. */
export interface ApiAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

/** Who may use the HTTP API of a data directory: its keys and login links, and where the API is (its own word first). */
export function openAccess(places: DataDirPaths, api: ApiAddress) {
  return {
    keys: () => openKeys(places),
    links: async () => createLoginLinks({ directory: path.join(ensureDataDirectory(places.dataDir).path, path.basename(places.loginLinks)) }),
    apiUrl: () => announcedUrl(places.apiUrl) ?? settledUrl(api),
    secretFile: (name: string) => path.join(path.dirname(places.apiKeys), `${checkedKeyName(name)}.key`),
    assertNew: (file: string) => assertNew(file, places),
    keepSecret,
  };
}

/**
 * The first start of a data directory makes a key with all roles for its operator, audited like any other. Only where
 * there has never been a file of keys: who revoked the last key meant it.
 */
export async function ensureOperatorKey(places: DataDirPaths): Promise<void> {
  if (isThere(places.apiKeys)) return;
  const keys = await openKeys(places);
  await audited(
    openAudit(places),
    { surface: 'cli', who: currentUser(), action: 'key.create', subject: 'operator', detail: { roles: ROLES.join(',') } },
    async () => {
      const { secret } = await keys.create({ name: 'operator', roles: ROLES });
      await keepSecret(places.operatorKey, secret);
    },
  );
}

/** What the running API wrote down; it knows its port also when the settings of this command differ. */
function announcedUrl(file: string): string | undefined {
  if (!isThere(file)) return undefined;
  const url = readFileSync(file, 'utf8').trim();
  return /^https?:\/\/[^/\s]+$/.test(url) && URL.canParse(url) ? url : undefined;
}

/** Where the API will be once it runs. Throws WritError WRONG_STATE when nobody can know. */
function settledUrl({ host, port, scheme }: ApiAddress): string {
  if (port === 0) throw new WritError('WRONG_STATE', 'http.port is 0 and the API does not run: start it, or set a port', { field: 'http.port' });
  return localUrl(host, port, scheme);
}

async function openKeys({ dataDir, apiKeys }: DataDirPaths): Promise<ApiKeyStore> {
  ensureDataDirectory(dataDir);
  makeDirectory(path.dirname(apiKeys));
  return createApiKeyStore({ file: apiKeys });
}

/** A file among the keys whose secret is good for nothing any more keeps nobody from making its key anew. */
async function assertNew(file: string, places: DataDirPaths): Promise<void> {
  if (isThere(file) && !(await isDead(file, places)))
    throw new WritError('INVALID_ARGUMENT', `${file} is there already: name another with --out`, { field: '--out' });
  const directory = await stat(path.dirname(file)).catch(() => undefined);
  if (!directory?.isDirectory()) throw new WritError('INVALID_ARGUMENT', `there is no directory ${path.dirname(file)}`, { field: '--out' });
}

/** Whether a file is one of ours that holds the secret of a key that was revoked, has expired or has another secret now. */
async function isDead(file: string, places: DataDirPaths): Promise<boolean> {
  if (path.dirname(path.resolve(file)) !== path.dirname(places.apiKeys) || !file.endsWith('.key')) return false;
  const read = await readSmallFile(file, MAX_SECRET_BYTES, false);
  return read.ok && isSecret(read.value.trim()) && (await (await openKeys(places)).find(read.value.trim())) === undefined;
}

async function keepSecret(file: string, secret: string): Promise<void> {
  try {
    await replaceFileDurably(file, `${secret}\n`);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `the secret cannot be written to ${file}: ${messageOf(error)}`, { cause: error });
  }
}
