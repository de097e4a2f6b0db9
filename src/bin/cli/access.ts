import { existsSync, readFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/schema.ts';
import { replaceFile, syncDirectoryOf } from '../../adapters/files/replace-file.ts';
import { ROLES } from '../../contracts/index.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { localUrl } from '../../core/local-url.ts';
import type { ApiKeyStore } from '../../core/ports/index.ts';
import { createApiKeyStore } from '../../data-dir/api-keys.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import { createLoginLinks } from '../../data-dir/login-links.ts';
import type { Places } from '../../data-dir/places.ts';
import type { ApiAccess } from '../../surfaces/cli/services.ts';
import { audited } from '../../surfaces/shared/tasks/audited.ts';
import { openAudit, whoAsks } from './audit.ts';
import type { CliSettings } from './settings.ts';

/** Keys and login links of the data directory. */
export function openAccess({ places, loaded }: CliSettings): ApiAccess {
  return {
    keys: () => openKeys(places),
    links: async () => createLoginLinks({ directory: path.join(ensureDataDirectory(places.dataDir).path, path.basename(places.loginLinks)) }),
    apiUrl: () => announcedUrl(places.apiUrl) ?? settledUrl(loaded.config.http),
    secretFile: (name) => path.join(path.dirname(places.apiKeys), `${name}.key`),
    assertNew,
    keepSecret,
  };
}

/**
 * The first start of a data directory makes a key with all roles for its operator, audited like any other. Only where
 * there has never been a file of keys: who revoked the last key meant it.
 */
export async function ensureOperatorKey(places: Places): Promise<void> {
  if (existsSync(places.apiKeys)) return;
  const keys = await openKeys(places);
  await audited(
    openAudit(places),
    { surface: 'cli', who: whoAsks(), action: 'key.create', subject: 'operator', detail: { roles: ROLES.join(',') } },
    async () => {
      const { secret } = await keys.create({ name: 'operator', roles: ROLES });
      await keepSecret(places.operatorKey, secret);
    },
  );
}

/** What the running API wrote down; it knows its port also when the settings of this command differ. */
function announcedUrl(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const url = readFileSync(file, 'utf8').trim();
  return /^https?:\/\/[^/\s]+$/.test(url) && URL.canParse(url) ? url : undefined;
}

/** Where the API will be once it runs. Throws WritError WRONG_STATE when nobody can know. */
function settledUrl({ host, port, tls }: Config['http']): string {
  if (port === 0) throw new WritError('WRONG_STATE', 'http.port is 0 and the API does not run: start it, or set a port', { field: 'http.port' });
  return localUrl(host, port, tls.cert_file === '' ? 'http' : 'https');
}

async function openKeys({ dataDir, apiKeys }: Places): Promise<ApiKeyStore> {
  ensureDataDirectory(dataDir);
  await mkdir(path.dirname(apiKeys), { recursive: true, mode: 0o700 });
  return createApiKeyStore({ file: apiKeys });
}

async function assertNew(file: string): Promise<void> {
  if (existsSync(file)) throw new WritError('INVALID_ARGUMENT', `${file} is there already: name another with --out`, { field: '--out' });
  const directory = await stat(path.dirname(file)).catch(() => undefined);
  if (!directory?.isDirectory()) throw new WritError('INVALID_ARGUMENT', `there is no directory ${path.dirname(file)}`, { field: '--out' });
}

async function keepSecret(file: string, secret: string): Promise<void> {
  try {
    await replaceFile(file, `${secret}\n`);
    await syncDirectoryOf(file);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `the secret cannot be written to ${file}: ${messageOf(error)}`, { cause: error });
  }
}
