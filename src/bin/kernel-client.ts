import os from 'node:os';
import { WritError } from '../core/errors.ts';
import type { Grant, IssueAnswer, KernelClient, LeaseTerms } from '../core/ports/index.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { createKernelConnection, type KernelConnection } from '../kernel/index.ts';

/** The kernel of the data directory over its socket, asked by the person at the command line. Nobody is asked before the first call. */
export function openKernelClient({ places }: { readonly places: DataDirPaths }): KernelClient & AsyncDisposable {
  const client = createKernelConnection(places.kernelSocket);
  // Who asks is what the operating system says, as far as it goes: whoever may open the socket could say anything.
  const kernel = kernelClient(client, `${os.userInfo().username} (writ)`);
  return { ...kernel, [Symbol.asyncDispose]: async () => client.close() };
}

/** @param by who asks, for the kernel's audit log */
export function kernelClient(client: KernelConnection, by: string): KernelClient {
  const options = ({ ttlS }: LeaseTerms) => ({ by, ...(ttlS === undefined ? {} : { ttl: ttlS }) });
  return {
    async issue(manifests, terms) {
      const { confirmedBy } = terms;
      const requests = manifests.map((manifest) => ({ manifest, ...(confirmedBy === undefined ? {} : { confirmedBy }) }));
      return (await client.issue(requests, options(terms))).map(grantOf);
    },
    issuePlan: (envelope, { capabilities, scopes, ...terms }) =>
      client.issuePlan({ envelope, ...(capabilities === undefined ? {} : { capabilities }), ...(scopes === undefined ? {} : { scopes }) }, options(terms)),
    regrant: async (manifest, failure, terms) => (await client.regrant({ manifest, result: failure }, options(terms))).lease,
    async undo({ manifest, success, earlierUndos }) {
      const undo = await client.undo({ manifest, result: success, earlierUndos }, { by });
      return { v: 1, manifest: undo.manifest, lease: undo.lease };
    },
    revoke: (lease) => client.revoke(typeof lease === 'string' ? { lease, by } : { ...lease, by }),
    leasedManifest: (taskId) => client.leasedManifest(taskId),
    async ping() {
      const { revocations } = await client.health();
      if (revocations.problem !== undefined) throw new WritError('KERNEL_UNAVAILABLE', `the kernel answers, but ${revocations.problem}`);
    },
  };
}

function grantOf(answer: IssueAnswer): Grant {
  if (answer.ok) return { kind: 'granted', lease: answer.lease };
  const { code, message, field } = answer;
  return { kind: 'refused', code, message, ...(field === undefined ? {} : { field }) };
}
