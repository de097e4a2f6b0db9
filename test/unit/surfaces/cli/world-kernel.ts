import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { LeasePayload, type TaskManifest } from '../../../../src/contracts/index.ts';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import type { Clock } from '../../../../src/core/clock.ts';
import { manifestSha256, sha256Hex } from '../../../../src/core/hash.ts';
import type { ApprovalStore, KernelClient, PlanTerms, ResultReader, SignatureReader } from '../../../../src/core/ports/index.ts';
import { failed, ok } from '../../../../src/core/result.ts';
import {
  authenticateLease,
  createResultReader,
  createResultSigner,
  fixedKeyring,
  generateKey,
  signingKey,
  signLease,
  verifyResult,
} from '../../../../src/lease/index.ts';
import { approvalDeskTwin, memoryApprovals } from '../../../fixtures/approvals/memory-store.ts';
import { scheduleDeskTwin } from '../../../fixtures/schedules/memory-store.ts';

/** How often the kernel was asked for what. */
export interface Asked {
  issue: number;
  regrant: number;
  undo: { taskId: string; earlierUndos: number }[];
  revoked: unknown[];
  plans: PlanTerms[];
}

export interface Kernel {
  readonly door: KernelClient;
  readonly signatures: SignatureReader;
  readonly results: ResultReader;
  /** Signs results as the executor does. */
  readonly signer: ReturnType<typeof createResultSigner>;
  readonly asked: Asked;
  /** What plans have asked people. */
  readonly approvals: ApprovalStore;
  lease(manifest: TaskManifest, ttlS?: number): Promise<string>;
}

const ISSUER = 'writ-kernel';

/** The kernel's door and the reader of signatures, with real keys of their own and nothing on disk. */
export function createKernelTwin(clock: Clock): Kernel {
  const ed25519 = inlineEd25519(nodeEd25519());
  const kernelKey = signingKey(generateKey({ use: 'lease', capabilities: ['*'] }));
  const executorKey = signingKey(generateKey({ use: 'result', capabilities: ['*'] }));
  const leased = new Map<string, TaskManifest>();
  const asked: Asked = { issue: 0, regrant: 0, undo: [], revoked: [], plans: [] };

  const lease: Kernel['lease'] = (manifest, ttlS = 3600) => {
    const iat = Math.floor(clock.now() / 1000);
    const { task_id, capability_id } = manifest;
    leased.set(task_id, manifest);
    const payload: LeasePayload = {
      v: 1,
      iss: ISSUER,
      aud: 'file',
      jti: `jti-${task_id}`,
      task_id,
      capability_id,
      manifest_sha256: manifestSha256(manifest),
      iat,
      exp: iat + ttlS,
    };
    return signLease(payload, kernelKey, ed25519);
  };
  const approvals = memoryApprovals();
  const kernel: KernelClient = {
    async issue(manifests, { ttlS, confirmedBy }) {
      asked.issue += 1;
      return Promise.all(
        manifests.map(async (manifest) => {
          if (manifest.constraints.hrc_required === true && confirmedBy === undefined)
            return { kind: 'refused', code: 'HRC_REQUIRED', message: 'needs a person' } as const;
          return { kind: 'granted', lease: await lease(manifest, ttlS) } as const;
        }),
      );
    },
    judge: async (manifests, { confirmedBy }) =>
      manifests.map(({ constraints }) =>
        constraints.hrc_required === true && confirmedBy === undefined
          ? ({ kind: 'refused', code: 'HRC_REQUIRED', message: 'needs a person' } as const)
          : ({ kind: 'grantable' } as const),
      ),
    async regrant(failed) {
      asked.regrant += 1;
      return Promise.all(failed.map(async ({ manifest }) => ({ kind: 'granted', lease: await lease(manifest) }) as const));
    },
    async undo({ manifest, earlierUndos }) {
      asked.undo.push({ taskId: manifest.task_id, earlierUndos });
      const undo = manifestOf(`undo-${manifest.task_id}-${earlierUndos}`, { provenance: { undo_of: manifest.task_id } });
      return { v: 1, manifest: undo, lease: await lease(undo) };
    },
    async issuePlan(envelope, terms) {
      asked.plans.push(terms);
      const planSha256 = sha256Hex(canonicalJson(envelope));
      return { planSha256, lease: `lease-of-${planSha256}`, jti: 'jti', exp: 4_000_000_000, capabilities: ['FILE_COPY'] };
    },
    async revoke(given) {
      asked.revoked.push(given);
      return { n: 7, jti: typeof given === 'string' ? 'jti-of-token' : given.jti, published: true };
    },
    leasedManifest: async (taskId) => leased.get(taskId),
    schedules: scheduleDeskTwin(() => clock.now()),
    approvals: approvalDeskTwin(() => clock.now(), 'tester', approvals),
    ping: async () => undefined,
  };
  const signatures: SignatureReader = {
    peek: (token) => {
      try {
        return LeasePayload.safeParse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
      } catch {
        return undefined;
      }
    },
    async readLease(token, manifest) {
      const claimed = signatures.peek(token);
      if (!claimed) return failed('this is no lease');
      const expected = manifest ? { manifest, manifestSha256: manifestSha256(manifest) } : { manifest: claimed, manifestSha256: claimed.manifest_sha256 };
      const answer = await authenticateLease(token, { ...expected, aud: claimed.aud, iss: ISSUER }, { keyring: fixedKeyring([kernelKey]), ed25519 });
      return answer.ok ? ok({ payload: answer.lease, kid: answer.authority.kid }) : failed(answer.message);
    },
    revocationOf: async (jti) => (jti === 'jti-revoked' ? 3 : undefined),
    verifyResult: async (result, about) => (await verifyResult(result, about, { keyring: fixedKeyring([executorKey]), ed25519 })).ok,
  };

  const results = createResultReader({ keyring: fixedKeyring([executorKey]), ed25519 });
  return { door: kernel, signatures, results, signer: createResultSigner(executorKey, ed25519), asked, lease, approvals };
}

/** A task of these tests. */
export function manifestOf(taskId: string, changes: Partial<TaskManifest> = {}): TaskManifest {
  return {
    task_id: taskId,
    capability_id: 'FILE_COPY',
    inputs: { source_path: '/b/s', destination_path: '/b/d' },
    constraints: {},
    ...changes,
  };
}
