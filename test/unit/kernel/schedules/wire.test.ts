import { expect, it } from 'vitest';
import { AddScheduleBody } from '../../../../src/kernel/schedules/wire.ts';

it('the socket of the kernel takes no schedule that makes up for all it missed where only one firing may run', () => {
  const body = { envelope: {}, id: 'reports', cron: '0 2 * * *', missed: 'all', by: 'ops (cli)' };
  expect(AddScheduleBody.safeParse({ ...body, overlap: 'allow' }).success).toBe(true);
  for (const overlap of [undefined, 'skip']) {
    expect(AddScheduleBody.safeParse({ ...body, overlap }).error?.issues).toMatchObject([{ path: ['overlap'] }]);
  }
});
