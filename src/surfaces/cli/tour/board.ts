import { once } from 'node:events';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { WritError } from '../../../core/errors.ts';

/** Bull Board as an operator's browser meets it: a session, then the board's own routes. */
export interface BoardVisitor {
  /** What the Retry button of a failed job sends. */
  retry(queue: string, taskId: string): Promise<void>;
}

interface Asked {
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Logs in with an API key.
 *
 * @param url of the running API
 * @param certificate PEM of that API when it speaks HTTPS: this one is trusted and no other, under whatever name it was issued
 * @throws WritError UNAUTHORIZED when the key is not accepted
 */
export async function visitBoard(url: string, key: string, certificate?: string): Promise<BoardVisitor> {
  const body = new URLSearchParams({ key, next: '/board' }).toString();
  const form = { origin: url, 'content-type': 'application/x-www-form-urlencoded' };
  const login = await ask(`${url}/login`, { method: 'POST', headers: form, body }, certificate);
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0];
  if (login.statusCode !== 303 || cookie === undefined) throw new WritError('UNAUTHORIZED', `the board did not let the operator in (HTTP ${login.statusCode})`);
  login.resume();
  return {
    async retry(queue, taskId) {
      const place = `${url}/board/api/queues/${encodeURIComponent(queue)}/t_${encodeURIComponent(taskId)}/retry`;
      const answer = await ask(place, { method: 'PUT', headers: { origin: url, cookie } }, certificate);
      const said = await text(answer);
      if (answer.statusCode !== 200 && answer.statusCode !== 204)
        throw new WritError('WRONG_STATE', `the board refused the retry (HTTP ${answer.statusCode}): ${said}`);
    },
  };
}

async function ask(url: string, { body, ...rest }: Asked, certificate: string | undefined): Promise<IncomingMessage> {
  // The name may be anything; that it is this certificate is what counts.
  const pinned = { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const asked = url.startsWith('https:') ? overHttps(url, { ...rest, ...pinned, agent: false }) : overHttp(url, { ...rest, agent: false });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}
