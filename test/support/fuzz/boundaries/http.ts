import { connect } from 'node:net';
import { WritError } from '../../../../src/core/errors.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { servicesThat, startSite } from '../../../integration/surfaces/http/core-site.ts';
import { type Boundary, FuzzFault, shown } from '../boundary.ts';
import { JOB_SEEDS } from './job.ts';

/** Redis is away: what is wrong with a request must be said before that. */
const SERVICES = servicesThat(() => {
  throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
});

/** Requests as bytes on a connection: method, path, headers and body of every route. */
export const http: Boundary = {
  shape: 'bytes',
  what: 'requests over HTTP, as bytes on a connection, to every route; the services are away',
  weight: 0.3,
  async open() {
    const faults: unknown[] = [];
    const site = await startSite({
      routes: ROUTES,
      services: { ...SERVICES, report: (error) => void faults.push(error) },
    });
    const port = Number(new URL(site.url).port);
    const head = (method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string =>
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${site.secrets.all}\r\nConnection: close\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`;
    const post = (path: string, body: string, type = 'application/json'): string =>
      head('POST', path, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }) + body;
    const plain = ROUTES.map(({ method, path }) => {
      const at = path.replaceAll(/:[A-Za-z]+/g, 'x');
      return String(method) === 'GET' ? head('GET', at, { Prefer: 'wait=0' }) : post(at, '{}').replace(/^POST/, String(method));
    });
    return {
      seeds: [
        ...plain,
        ...JOB_SEEDS.map((job) => post('/v1/tasks?attempts=3&priority=1&not_before=2030-01-01T00:00:00Z', job)),
        post('/v1/tasks?sign=true', JOB_SEEDS.join('\n'), 'application/x-ndjson'),
        post('/v1/search', '{"pattern":"a.b","path":"x","glob":["*.ts"],"context":2}'),
        post('/v1/messages/search', '{"text":"plan","limit":5,"explain":true}'),
        head('GET', '/v1/tasks?state=failure&capability=FILE_MOVE&since=2026-01-01T00:00:00Z&limit=10&cursor=1-2', {
          'If-None-Match': '"x"',
          Range: 'bytes=0-1',
          traceparent: '00-1-2-00',
        }),
        post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}').replace('\r\n\r\n', '\r\nAccept: application/json, text/event-stream\r\n\r\n'),
      ],
      words: [
        'GET',
        'POST',
        'DELETE',
        'OPTIONS',
        'HEAD',
        'TRACE',
        '%2e%2e/',
        '%00',
        '?limit=-1',
        '&cursor=',
        '&wait=1e9',
        'Prefer: wait=-1\r\n',
        'Content-Length: 5\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Expect: 100-continue\r\n',
        'Content-Encoding: gzip\r\n',
        'Content-Type: text/plain\r\n',
        'Origin: http://x\r\n',
        'Host: x\r\n',
        'Cookie: writ_session=x\r\n',
        'Authorization: Basic x\r\n',
        'Last-Event-ID: x\r\n',
        '\r\n\r\n',
        ' HTTP/1.0',
      ],
      async run(input) {
        faults.length = 0;
        const text = await answerOf(port, input);
        if (faults.length > 0) throw new FuzzFault(`reported: ${String((faults[0] as Error).stack ?? faults[0])}`);
        if (text === '') return 'closed';
        shown(text);
        const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
        if (status === undefined || status === '500') throw new FuzzFault(`answered ${text.slice(0, 1500)}`);
        // Several requests may stand in one; the first answer is judged.
        const [, body = ''] = text.split('\r\n\r\n', 2);
        if (Number(status) >= 400 && /content-type: application\/problem\+json/i.test(text) && !/"code":"[A-Za-z_]+"/.test(body))
          throw new FuzzFault(`a problem without a code: ${text.slice(0, 1500)}`);
        return status;
      },
      close: async () => site[Symbol.asyncDispose](),
    };
  },
};

/** Everything that came until the server closed; the client has said all that it has to say. */
async function answerOf(port: number, input: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  // Streams of events never end by themselves: what the first answer is was seen then.
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    if (/content-type: text\/event-stream/i.test(part.toString('latin1'))) socket.destroy();
  });
  socket.once('connect', () => socket.end(input));
  await closed;
  return Buffer.concat(parts).toString('latin1');
}
