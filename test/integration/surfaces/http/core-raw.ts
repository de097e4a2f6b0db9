import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request with any header that one likes, Host and Origin included. */
export function ask(url: string, path: string, wish: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, body } = wish;
  return new Promise((resolve, reject) => {
    const out = request(url + path, { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts).toString() }));
      answer.on('error', reject);
    });
    out.on('error', reject);
    out.end(body);
  });
}

export interface RawSocket {
  readonly socket: Socket;
  /** Everything that came, once the server has ended the connection. */
  readonly ended: Promise<string>;
}

/** A connection that sends `text` and then waits. */
export function openSocket(url: string, text: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let came = '';
    const ended = new Promise<string>((end) => socket.once('close', () => end(came)));
    socket.setEncoding('utf8').on('data', (part: string) => {
      came += part;
    });
    socket.once('connect', () => {
      socket.on('error', () => undefined);
      socket.write(text);
      resolve({ socket, ended });
    });
    socket.once('error', reject);
  });
}
