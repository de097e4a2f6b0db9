import { Agent } from 'node:http';
import type { z } from 'zod';
import { isWritError, WritError } from '../core/errors.ts';
import type { GrantedLease, GrantOptions, IssueAnswer, IssueRequest, KernelOperations } from '../core/ports/index.ts';
import { type Exchange, exchange } from './client-http.ts';
import { type Granted, HealthReply, IssueReply, KeysReply, ManifestReply, Problem, RevokeReply, UndoReply, Granted as WireGranted } from './wire.ts';

type WireRefusal = Extract<z.infer<typeof IssueReply>['answers'][number], { ok: false }>;

export interface KernelClient extends KernelOperations {
  /** `issue` for one manifest; its refusal is thrown. */
  issueOne(request: IssueRequest, options?: GrantOptions): Promise<GrantedLease>;
  /** Closes idle connections; calls that run end by themselves. */
  close(): void;
}

export interface KernelClientOptions {
  readonly timeoutMs?: number;
}

/**
 * The kernel over its unix socket, with connections kept alive. Refusals arrive as the WritErrors that the kernel threw;
 * nobody there, or no answer in time, is WritError KERNEL_UNAVAILABLE.
 */
export function createKernelClient(socketPath: string, { timeoutMs = 10_000 }: KernelClientOptions = {}): KernelClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  async function call<Schema extends z.ZodType>(schema: Schema, method: 'GET' | 'POST', path: string, body?: object): Promise<z.infer<Schema>> {
    const answer = await exchange({ socketPath, agent, timeoutMs, method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (answer.status !== 200) throw errorOf(answer);
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw new WritError('KERNEL_UNAVAILABLE', `what answers on ${socketPath} is no kernel of this version`);
    return parsed.data;
  }

  const client: KernelClient = {
    async issue(requests, options = {}) {
      const tasks = requests.map(({ manifest, confirmedBy }) => ({ manifest, confirmed_by: confirmedBy }));
      const { answers } = await call(IssueReply, 'POST', '/issue', { tasks, ...options });
      return answers.map((answer) => (answer.ok ? { ok: true, ...granted(answer) } : refusal(answer)));
    },
    async issueOne(request, options) {
      const [answer] = await client.issue([request], options);
      if (answer?.ok) return answer;
      throw new WritError(
        answer?.code ?? 'INTERNAL',
        answer?.message ?? 'the kernel gave no answer',
        answer?.field === undefined ? {} : { field: answer.field },
      );
    },
    regrant: async (request, options = {}) => granted(await call(WireGranted, 'POST', '/regrant', { ...request, ...options })),
    async undo({ manifest, result, earlierUndos }, options = {}) {
      const reply = await call(UndoReply, 'POST', '/undo', { manifest, result, earlier_undos: earlierUndos, ...options });
      return { manifest: reply.manifest, ...granted(reply) };
    },
    revoke: (request) => call(RevokeReply, 'POST', '/revoke', request),
    async leasedManifest(taskId) {
      try {
        return (await call(ManifestReply, 'GET', `/manifests/${encodeURIComponent(taskId)}`)).manifest;
      } catch (error) {
        if (isWritError(error) && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },
    keys: () => call(KeysReply, 'GET', '/keys'),
    async health() {
      const { issuer, kid, revocations } = await call(HealthReply, 'GET', '/health');
      const { number, published, problem } = revocations;
      return { issuer, kid, revocations: problem === undefined ? { number, published } : { number, published, problem } };
    },
    close: () => agent.destroy(),
  };
  return client;
}

function granted({ task_id, manifest_sha256, lease, jti, exp }: z.infer<typeof Granted>): GrantedLease {
  return { taskId: task_id, manifestSha256: manifest_sha256, lease, jti, exp };
}

function refusal({ code, message, field }: WireRefusal): IssueAnswer {
  return field === undefined ? { ok: false, code, message } : { ok: false, code, message, field };
}

function errorOf({ status, body }: Exchange): WritError {
  const problem = Problem.safeParse(body);
  if (!problem.success) return new WritError('KERNEL_UNAVAILABLE', `the kernel's socket answered with status ${status} and no problem document`);
  const { code, detail, field } = problem.data;
  return new WritError(code, detail, field === undefined ? {} : { field });
}
