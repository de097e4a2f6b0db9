import { expect, it } from 'vitest';
import { startBoardRig } from './board-rig.ts';

it('says on the board that Redis is away, with the code that every other route has', async () => {
  await using board = await startBoardRig();
  expect((await board.call('GET', '/api/queues?activeQueue=file&page=1&jobsPerPage=10')).status).toBe(200);
  await board.rig.redis.kill();
  const answer = await board.call('GET', '/api/queues?activeQueue=file&page=1&jobsPerPage=10');
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('REDIS_UNAVAILABLE');
  await board.rig.redis.restart();
});
