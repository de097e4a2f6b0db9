import type { Config } from '../../../config/schema.ts';
import { queueName } from '../../../queues/catalog.ts';
import { PlanLeasePayload } from '../../contracts/index.ts';
import { systemClock } from '../../core/clock.ts';
import { peekPayload } from '../../core/peek-token.ts';
import type { Ed25519, PlanSignatures } from '../../core/ports/index.ts';
import { jwksFile } from '../../data-dir/key-files.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { authenticatePlanLease, createKeyring, type Verifier, verifyPlanEnd } from '../../lease/index.ts';

/** What was signed about plans, judged with the public keys of a data directory; rings follow their files. */
export function planSignatures({
  config,
  places,
  ed25519,
}: {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly ed25519: Ed25519;
}): PlanSignatures {
  const leases: Verifier = { keyring: createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock: systemClock }), ed25519 };
  const results: Verifier = { keyring: createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock: systemClock }), ed25519 };
  const expected = { aud: queueName('plan', config.pool.id), iss: config.lease.issuer };
  return {
    async refusalOf(lease, planSha256) {
      const answer = await authenticatePlanLease(lease, { ...expected, planSha256 }, leases);
      return answer.ok ? undefined : answer.message;
    },
    expiryOf: (lease) => PlanLeasePayload.safeParse(peekPayload(lease)).data?.exp,
    verifyEnd: async (result, planSha256) => (await verifyPlanEnd(result, planSha256, results)).ok,
  };
}
