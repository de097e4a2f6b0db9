import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { isThere } from '../../adapters/files/is-there.ts';
import { broken, type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { counted } from '../../core/units.ts';
import { parseJwks } from '../../lease/index.ts';
import { readPrivateKey } from '../key-files.ts';
import type { DataDirPaths } from '../paths.ts';

/** Which keys lie here, whether they belong together, and who could read them. */
export function examineKeys(places: DataDirPaths): Promise<Check[]> {
  return examine('Keys', [
    { title: 'kernel key', look: () => privateKey(places.kernelKey, places.kernelKeyring, 'kernel'), todo: 'give the file to the kernel user, mode 600' },
    {
      title: 'executor key',
      look: () => privateKey(places.executorKey, places.executorKeyring, 'executor'),
      todo: 'give the file to the worker user, mode 600',
    },
    { title: 'separation of users', look: () => separation(places), todo: '' },
  ]);
}

async function privateKey(file: string, keyring: string, role: string): Promise<Finding> {
  if (!isThere(keyring)) return warning('none', `run \`writ init\`, or copy the public keys of the ${role} to ${keyring}`);
  const known = parseJwks(await readFile(keyring, 'utf8'), keyring);
  if (!isThere(file)) return passed(`not here; ${counted(known.length, 'public key')} to verify with`);
  const { kid } = await readPrivateKey(file);
  if (!known.some((key) => key.kid === kid))
    return broken(`${kid} is not in ${keyring}`, `what the ${role} signs is refused: run \`writ keygen --role ${role}\``);
  return passed(`${kid}, mode 600, ${counted(known.length, 'public key')} in the keyring`);
}

/** One account that can read both private keys can sign a lease for itself. */
function separation(places: DataDirPaths): Finding {
  if (!isThere(places.kernelKey) || !isThere(places.executorKey)) return passed('this account does not hold both private keys');
  return warning(
    `kernel and workers share the account ${os.userInfo().username}: leases protect against whoever writes to the queues, not against this account`,
    'for a real separation run `writ kernel` and `writ worker` as different users, in containers of their own',
  );
}
