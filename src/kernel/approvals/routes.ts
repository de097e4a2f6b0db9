import type { FastifyInstance } from 'fastify';
import { readBody } from '../read-body.ts';
import type { ApprovalRegister } from './desk.ts';
import { DecideBody, ListBody } from './wire.ts';

/** The routes of the kernel's own socket that are about approvals. The plan role, which has another socket, decides nothing. */
export function approvalRoutes(app: FastifyInstance, register: ApprovalRegister): void {
  app.post('/approvals', async ({ body }) => ({ approvals: register.list(readBody(ListBody, body).plan) }));
  app.post('/approvals/decide', async ({ body }) => {
    const { plan_sha256: planSha256, step: taskId, answer, note, data, roles, by } = readBody(DecideBody, body);
    const word = { planSha256, taskId, answer, ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data }) };
    return register.decide(word, roles, by);
  });
}
