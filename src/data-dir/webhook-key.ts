import type { SigningKey } from '../lease/index.ts';
import { readPrivateKey } from './key-files.ts';
import type { DataDirPaths } from './paths.ts';
import { ensureKeys } from './signing-keys.ts';

/** The key that signs notices to receivers of webhooks; made when it is missing. Throws WritError INVALID_CONFIG for a file that is no key or that others may read. */
export async function openWebhookKey(places: DataDirPaths): Promise<SigningKey> {
  await ensureKeys(places, ['webhook']);
  return readPrivateKey(places.webhookKey);
}
