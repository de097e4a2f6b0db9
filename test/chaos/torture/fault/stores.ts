import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../stage.ts';

const PROBE = 'torture:probe';

/** kill -9, and a start on the same file. */
export async function killRedis(stage: Stage): Promise<void> {
  const { site, random } = stage;
  await tellingLosses(stage, async () => {
    await site.redis.kill();
    await delay(random.integer(1500));
    await site.redis.restart();
  });
}

/** No room for a byte where everything is kept that a role writes down. */
export async function fillTheDisk(stage: Stage): Promise<void> {
  const { site, random } = stage;
  await tellingLosses(stage, async () => {
    site.disk.fill();
    await delay(500 + random.integer(3000));
    site.disk.free();
    // It may have ended itself, rather than go on with a file that it cannot write.
    if (!site.redis.isRunning()) await site.redis.restart();
  });
}

/** What Redis had not written yet when it ended is gone: a word of ours tells. */
async function tellingLosses({ site, model, random }: Stage, hurt: () => Promise<void>): Promise<void> {
  const word = String(random.number());
  const redis = await site.redis.client();
  await redis.set(PROBE, word);
  redis.disconnect();
  await hurt();
  const again = await site.redis.client();
  if ((await again.get(PROBE)) !== word) model.losses.push(Date.now());
  again.disconnect();
}
