import { z } from 'zod';
import { type AnyRoute, route } from '../route.ts';

const Alive = z.strictObject({ status: z.literal('ok'), version: z.string() });
const Ready = z.strictObject({
  status: z.enum(['ready', 'not_ready']),
  checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
});

const healthz = route({
  method: 'GET',
  path: '/healthz',
  operation: 'isAlive',
  summary: 'Whether the process lives',
  description: 'Asks nobody else. For the supervisor that would restart the process.',
  tag: 'health',
  access: 'open',
  responses: { 200: { description: 'It lives.', schema: Alive } },
  problems: [],
  handle: async ({ services }) => ({ status: 200, body: { status: 'ok', version: services.version } }),
});

const readyz = route({
  method: 'GET',
  path: '/readyz',
  operation: 'isReady',
  summary: 'Whether tasks can be taken',
  description:
    'Writes to Redis and asks the kernel and the task index. For the load balancer. Details are for those with a key: the route is open to everybody.',
  tag: 'health',
  access: 'open',
  responses: { 200: { description: 'All checks passed.', schema: Ready }, 503: { description: 'Those with `ok: false` did not.', schema: Ready } },
  problems: [],
  async handle({ services, caller }) {
    const findings = await services.ready();
    const ready = findings.every(({ ok }) => ok);
    const checks = caller.via === 'none' ? findings.map(({ name, ok }) => ({ name, ok })) : findings;
    return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', checks } };
  },
});

const metrics = route({
  method: 'GET',
  path: '/metrics',
  operation: 'readMetrics',
  summary: 'Figures for Prometheus',
  description: 'Needs no key from loopback while the server is bound to loopback and no proxy stands between.',
  tag: 'health',
  access: ['read'],
  openOnLoopback: true,
  responses: { 200: { description: 'The text format of Prometheus.', type: 'text/plain; version=0.0.4', schema: z.string() } },
  problems: [],
  async handle({ services }) {
    const { type, text } = await services.metrics();
    return { status: 200, body: text, headers: { 'content-type': type } };
  },
});

export const HEALTH_ROUTES: readonly AnyRoute[] = [healthz, readyz, metrics];
