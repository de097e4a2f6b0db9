import { Readable } from 'node:stream';
import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { WritError } from '../../../core/errors.ts';
import type { AuditLog, QueueControl } from '../../../core/ports/index.ts';
import { switchQueue } from '../../shared/queues.ts';
import type { HttpPlugin } from '../options.ts';
import { PROBLEM_TYPE } from '../problem.ts';
import type { Caller } from '../route.ts';
import { boardAdapter } from './adapter.ts';
import { isRead } from './allow-list.ts';
import { BOARD_CSP, BOARD_CSS, ownPage, ownWords } from './page.ts';
import { BOARD_SCRIPT } from './page-script.ts';
import { notAllowed, shownProblem } from './problem.ts';
import { createRetryAll } from './retry-all.ts';
import type { BoardServices } from './retry-job.ts';
import { retryOne } from './retry-one.ts';
import type { BoardSource } from './source.ts';

export interface BoardOptions {
  /** From `queues/board-queues.ts`. */
  readonly queues: readonly BoardSource[];
  /** Shown as a badge. */
  readonly pool: string;
  /** The operations of an operator, in the name of the caller. */
  readonly operate: (caller: Caller) => BoardServices;
  readonly control: QueueControl;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Told of a retry-all that broke down when nobody waited for it any more. */
  readonly report: (error: unknown) => void;
  /** Makes a coded error of what a queue throws. */
  readonly translate: (error: unknown) => unknown;
  /** Links in the corner: `/docs`, `/metrics`, a dashboard. */
  readonly links: readonly { readonly text: string; readonly url: string }[];
}

export const BOARD_PATH = '/board';

/** Bull Board for operators: it shows, retries through Writ's own retry, and pauses and resumes queues. Everything else is refused by the server. */
export function boardPlugin(options: BoardOptions): HttpPlugin {
  return async (app, guard) => {
    await app.register(
      async (board) => {
        board.addHook('preHandler', guard.require('operate'));
        board.addHook('preHandler', fewAtATime);
        board.addHook('onSend', ownAnswer);
        await board.register(shownBoard(options));
        ownRoutes(board, options);
        refuseTheRest(board);
      },
      { prefix: BOARD_PATH },
    );
  };
}

/** Bull Board's pages, files and reading routes. */
function shownBoard({ queues, pool, clock, links, translate }: BoardOptions) {
  const server = new FastifyAdapter().setBasePath(BOARD_PATH);
  const [setApiRoutes, setErrorHandler] = [server.setApiRoutes.bind(server), server.setErrorHandler.bind(server)];
  server.setApiRoutes = (routes) => setApiRoutes(routes.filter(isRead));
  // Errors of its routes are answered like all others of this server.
  server.setErrorHandler = () =>
    setErrorHandler((error) => {
      throw translate(error);
    });
  createBullBoard({
    queues: queues.map((source) => boardAdapter(source, clock)),
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Writ',
        environment: { label: `pool ${pool}`, color: '#1d4ed8', textColor: '#ffffff' },
        hideRedisDetails: true,
        hideDocsLink: true,
        miscLinks: links.map(({ text, url }) => ({ text, url })),
        pollingInterval: { forceInterval: 5, showSetting: false },
        jobDetails: { defaultTab: 'Error' },
        locale: { lng: 'en-US' },
      },
    },
  });
  return server.registerPlugin();
}

interface JobParams {
  readonly queueName: string;
  readonly jobId: string;
}

/** What the board may change, and what it is told instead of reading it. */
function ownRoutes(board: FastifyInstance, { queues, operate, control, audit, report }: BoardOptions): void {
  const retryAll = createRetryAll({ audit, report });
  board.addHook('onClose', () => retryAll.stop());
  const sourceOf = (name: string): BoardSource => {
    const source = queues.find((queue) => queue.name === name);
    if (!source) throw new WritError('NOT_FOUND', `There is no queue ${JSON.stringify(name)} on this board.`);
    return source;
  };

  board.put<{ Params: JobParams }>('/api/queues/:queueName/:jobId/retry', async (request) => {
    const caller = callerOf(request);
    return retryOne(sourceOf(request.params.queueName), request.params.jobId, caller.name, operate(caller), audit);
  });
  board.put<{ Params: { queueName: string } }>('/api/queues/:queueName/retry/failed', async (request, reply) => {
    const caller = callerOf(request);
    const answer = await retryAll.start(sourceOf(request.params.queueName), caller.name, operate(caller));
    return reply.code(answer.finished ? 200 : 202).send(answer);
  });
  // A shard on the board stands for its queue: all of it is paused, as everywhere else.
  for (const action of ['pause', 'resume'] as const) {
    board.put<{ Params: { queueName: string } }>(`/api/queues/:queueName/${action}`, async (request) => {
      const { queueName } = sourceOf(request.params.queueName);
      return switchQueue(queueName, action, { surface: 'board', who: callerOf(request).name }, { queues: control, audit });
    });
  }
  // Tasks have no flows; Bull Board asks for every job that it shows, and would open a producer of jobs to find out.
  board.get<{ Params: JobParams }>('/api/queues/:queueName/:jobId/flow', async ({ params }) => ({ nodeId: params.jobId, flowRoot: null, isFlowNode: false }));
  board.get('/writ.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(BOARD_SCRIPT));
  board.get('/writ.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(BOARD_CSS));
}

function refuseTheRest(board: FastifyInstance): void {
  board.all('/*', async (request) => {
    throw notAllowed(request.method);
  });
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new WritError('UNAUTHORIZED', 'nobody is logged in');
  return caller;
}

const MAX_PER_PAGE = 50;

/** How many jobs are read at a time is not the browser's to say. */
async function fewAtATime({ query }: FastifyRequest): Promise<void> {
  if (typeof query !== 'object' || query === null || !('jobsPerPage' in query)) return;
  if (Number(query.jobsPerPage) > MAX_PER_PAGE) query.jobsPerPage = String(MAX_PER_PAGE);
}

async function ownAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  reply.header('content-security-policy', BOARD_CSP);
  const type = String(reply.getHeader('content-type') ?? '');
  if (type.startsWith('text/html') && typeof payload === 'string') return changed(reply, ownPage(payload));
  const isWords = request.routeOptions.url?.endsWith('/static/*') && request.url.includes('/messages.json');
  if (type.startsWith(PROBLEM_TYPE) && typeof payload === 'string') return changed(reply, shownProblem(payload));
  if (isWords && reply.statusCode === 200 && payload instanceof Readable) return changed(reply, await ownWords(payload));
  return payload;
}

/** The validators of the file are none of what is sent. */
function changed(reply: FastifyReply, body: string): string {
  reply.removeHeader('etag').removeHeader('last-modified').header('content-length', Buffer.byteLength(body)).header('cache-control', 'no-store');
  return body;
}
