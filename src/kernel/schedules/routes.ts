import type { FastifyInstance } from 'fastify';
import { readBody } from '../read-body.ts';
import type { ScheduleRegistry } from './desk.ts';
import { ActScheduleBody, AddScheduleBody } from './wire.ts';

/** The routes of the kernel's socket that are about schedules. */
export function scheduleRoutes(app: FastifyInstance, schedules: ScheduleRegistry): void {
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
