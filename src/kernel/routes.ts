import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { parseStrictJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { MAX_JSON_DEPTH } from '../core/i-json.ts';
import type { DeriveRequest, GrantedLease, GrantOptions, IssueAnswer, KernelOperations, PlanKernel, QuestionKernel } from '../core/ports/index.ts';
import type { ApprovalRegister } from './approvals/desk.ts';
import { DecideBody, ListBody, standingOf } from './approvals/wire.ts';
import type { LineAnswer } from './lines-server.ts';
import { readBody } from './read-body.ts';
import type { ScheduleRegistry } from './schedules/desk.ts';
import { ActScheduleBody, AddScheduleBody } from './schedules/wire.ts';
import type { Granted } from './wire.ts';
import { DeriveBody, IssueBody, PlanLeaseBody, RegrantBody, RegrantManyBody, RevokeBody, UndoBody } from './wire.ts';

/** `tasks[].manifest`: a manifest may use all its levels below the body's own. */
const BODY_LEVELS = 3;

/** What the kernel keeps beside leases. */
export interface KernelRegisters {
  readonly schedules?: ScheduleRegistry;
  readonly approvals?: ApprovalRegister;
}

/** The routes of the kernel's own socket. Every body is read as strict JSON: two equal keys are refused, not merged. */
export function kernelRoutes(app: FastifyInstance, kernel: KernelOperations, maxBytes: number, { schedules, approvals }: KernelRegisters = {}): undefined {
  strictBodies(app, maxBytes);
  if (schedules !== undefined) scheduleRoutes(app, schedules);
  if (approvals !== undefined) approvalRoutes(app, approvals);

  app.post('/issue', async ({ body }) => {
    const { tasks, ...rest } = readBody(IssueBody, body);
    const requests = tasks.map(({ manifest, confirmed_by }) => ({ manifest, ...(confirmed_by === undefined ? {} : { confirmedBy: confirmed_by }) }));
    return { answers: (await kernel.issue(requests, grantOptions(rest))).map(wireAnswer) };
  });
  app.post('/judge', async ({ body }) => {
    const { tasks, ...rest } = readBody(IssueBody, body);
    return {
      answers: await kernel.judge(
        tasks.map(({ manifest, confirmed_by: confirmedBy }) => ({ manifest, ...(confirmedBy && { confirmedBy }) })),
        grantOptions(rest),
      ),
    };
  });
  app.post('/regrant', async ({ body }) => {
    const { manifest, result, ...rest } = readBody(RegrantBody, body);
    return wireGranted(await kernel.regrant({ manifest, result }, grantOptions(rest)));
  });
  app.post('/regrant-many', async ({ body }) => {
    const { tasks, ...rest } = readBody(RegrantManyBody, body);
    return { answers: (await kernel.regrantMany(tasks, grantOptions(rest))).map(wireAnswer) };
  });
  app.post('/undo', async ({ body }) => {
    const { manifest, result, earlier_undos, ...rest } = readBody(UndoBody, body);
    const { manifest: undo, ...granted } = await kernel.undo({ manifest, result, earlierUndos: earlier_undos }, grantOptions(rest));
    return { manifest: undo, ...wireGranted(granted) };
  });
  app.post('/plan-lease', async ({ body }) => {
    const { envelope, capabilities, scopes, renews, ...rest } = readBody(PlanLeaseBody, body);
    const request = { envelope, ...(capabilities && { capabilities }), ...(scopes && { scopes }), ...(renews === undefined ? {} : { renews }) };
    const { planSha256, ...granted } = await kernel.issuePlan(request, grantOptions(rest));
    return { plan_sha256: planSha256, ...granted };
  });
  app.post('/revoke', async ({ body }) => {
    const { by, ...subject } = readBody(RevokeBody, body);
    return kernel.revoke({ ...subject, ...(by === undefined ? {} : { by }) });
  });
  app.get<{ Params: { taskId: string } }>('/manifests/:taskId', async ({ params }) => {
    const manifest = await kernel.leasedManifest(params.taskId);
    if (manifest === undefined) throw new WritError('NOT_FOUND', 'this kernel has issued no lease for the task', { field: 'task_id' });
    return { manifest };
  });
  app.get('/keys', () => kernel.keys());
  app.get('/health', () => kernel.health());
  return undefined;
}

/** What the plan role may open: the leases of steps, by HTTP for workers of an earlier version and in lines, and where a question stands. */
export function deriveRoutes(app: FastifyInstance, kernel: PlanKernel & Partial<QuestionKernel>, maxBytes: number): LineAnswer {
  strictBodies(app, maxBytes);
  const derive: LineAnswer = async ({ body, knows }) => {
    const { manifest, ...granted } = await kernel.derive(deriveRequest(body));
    return { ...(granted.manifestSha256 === knows ? {} : { manifest }), ...wireGranted(granted) };
  };
  app.post('/derive', ({ body }) => derive({ body }));
  const { askApproval } = kernel;
  if (askApproval !== undefined) app.post('/approval', async ({ body }) => standingOf(await askApproval(deriveRequest(body))));
  return derive;
}

function deriveRequest(body: unknown): DeriveRequest {
  const { plan_sha256: planSha256, envelope, ...rest } = readBody(DeriveBody, body);
  return { planSha256, ...(envelope === undefined ? {} : { envelope }), ...rest };
}

/** The routes of the kernel's socket that are about schedules. */
function scheduleRoutes(app: FastifyInstance, schedules: ScheduleRegistry): void {
  app.post('/schedules', async ({ body }) => {
    const { by, ...request } = readBody(AddScheduleBody, body);
    return schedules.add(request, by);
  });
  app.post('/schedules/act', async ({ body }) => {
    const { id, action, by } = readBody(ActScheduleBody, body);
    return schedules.act(id, action, by);
  });
  app.get('/schedules', async () => ({ schedules: schedules.list() }));
  app.get<{ Params: { id: string } }>('/schedules/:id', async ({ params }) => schedules.show(params.id));
}

/** The routes of the kernel's own socket that are about approvals. The plan role, which has another socket, decides nothing. */
function approvalRoutes(app: FastifyInstance, register: ApprovalRegister): void {
  app.post('/approvals', async ({ body }) => ({ approvals: register.list(readBody(ListBody, body).plan) }));
  app.post('/approvals/decide', async ({ body }) => {
    const { plan_sha256: planSha256, step: taskId, answer, note, data, roles, by } = readBody(DecideBody, body);
    const word = { planSha256, taskId, answer, ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data }) };
    return register.decide(word, roles, by);
  });
}

function strictBodies(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string | Buffer) =>
    parseStrictJson(String(body), { maxBytes, maxDepth: MAX_JSON_DEPTH + BODY_LEVELS }),
  );
}

interface WireOptions {
  readonly ttl?: number | undefined;
  readonly by?: string | undefined;
  readonly not_before?: number | undefined;
}

function grantOptions({ ttl, by, not_before: notBefore }: WireOptions): GrantOptions {
  return { ...(ttl === undefined ? {} : { ttl }), ...(notBefore === undefined ? {} : { notBefore }), ...(by === undefined ? {} : { by }) };
}

function wireGranted({ taskId, manifestSha256, lease, jti, exp }: GrantedLease): z.infer<typeof Granted> {
  return { task_id: taskId, manifest_sha256: manifestSha256, lease, jti, exp };
}

function wireAnswer(answer: IssueAnswer): object {
  return answer.ok ? { ok: true, ...wireGranted(answer) } : answer;
}
