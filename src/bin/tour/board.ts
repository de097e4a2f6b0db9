import { WritError } from '../../core/errors.ts';

/** Bull Board as an operator's browser meets it: a session, then the board's own routes. */
export interface BoardVisitor {
  /** What the Retry button of a failed job sends. */
  retry(queue: string, taskId: string): Promise<void>;
}

/**
 * Logs in with an API key.
 *
 * @param url of the running API
 * @throws WritError UNAUTHORIZED when the key is not accepted
 */
export async function visitBoard(url: string, key: string): Promise<BoardVisitor> {
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key, next: '/board' }),
    redirect: 'manual',
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
  if (login.status !== 303 || cookie === undefined) throw new WritError('UNAUTHORIZED', `the board did not let the operator in (HTTP ${login.status})`);
  return {
    async retry(queue, taskId) {
      const answer = await fetch(`${url}/board/api/queues/${encodeURIComponent(queue)}/t_${encodeURIComponent(taskId)}/retry`, {
        method: 'PUT',
        headers: { origin: url, cookie },
      });
      if (!answer.ok) throw new WritError('WRONG_STATE', `the board refused the retry (HTTP ${answer.status}): ${await answer.text()}`);
    },
  };
}
