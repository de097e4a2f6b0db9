import { CAPABILITY_QUEUE } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { Call } from '../command.ts';
import type { KeyRequest } from '../services.ts';

export interface KeygenFlags {
  readonly role: KeyRequest['role'];
  readonly capabilities?: string;
}

/** `writ keygen`: a new key for the role; what older keys signed still verifies. The private part is never shown. */
export async function runKeygen(call: Call, flags: KeygenFlags): Promise<number> {
  const capabilities = flags.capabilities === undefined ? undefined : capabilitiesOf(flags);
  const key = await (await call.services()).makeKey({ role: flags.role, ...(capabilities === undefined ? {} : { capabilities }) });
  await call.output.answer({ kid: key.kid, role: key.role, private_file: key.privateFile, keyring: key.publicFile }, () =>
    [
      `made the ${key.role} key ${key.kid}`,
      `private part  ${key.privateFile} (only for the ${key.role})`,
      `public part   ${key.publicFile}`,
      `restart the ${key.role} to sign with it; keyrings are read again within 60 s`,
    ].join('\n'),
  );
  return 0;
}

function capabilitiesOf({ role, capabilities = '' }: KeygenFlags): string[] {
  if (role !== 'kernel') throw new WritError('INVALID_ARGUMENT', 'only kernel keys are limited to capabilities', { field: '--capabilities' });
  const names = capabilities.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(CAPABILITY_QUEUE, name));
  if (unknown !== undefined)
    throw new WritError('INVALID_ARGUMENT', `'${unknown}' is none of ${Object.keys(CAPABILITY_QUEUE).join(', ')}`, { field: '--capabilities' });
  return names;
}
