import { describe, expect, it } from 'vitest';
import { NO_INDEX } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import { IndexStatus } from '../../../../../src/contracts/index.ts';
import { indexGround, KEY, keep, ROOT } from '../../../../support/content/index-service.ts';

describe('the indexes as surfaces see them', () => {
  it('are what the running host says', async () => {
    await using ground = await indexGround();
    const [one, ...more] = await ground.service.status();
    expect(more).toEqual([]);
    expect(IndexStatus.parse(one)).toMatchObject({ root: ROOT, key_hash: KEY, state: 'COMPLETE', serving: true, host: 'running', files: 1234, generation: 12 });
  });

  it('are what a host left behind when none runs: nothing is left out of a search by it', async () => {
    await using ground = await indexGround({ running: false });
    const [one] = await ground.service.status();
    expect(IndexStatus.parse(one)).toMatchObject({
      state: 'COMPLETE',
      serving: false,
      host: 'stopped',
      bytes: 4096,
      generation: 12,
      files: null,
      guarantee: 'none',
    });
  });

  it('show every configured root, also one that no host has opened yet, in the order of their paths', async () => {
    await using ground = await indexGround({ roots: ['/srv/z', ROOT, '/srv/a'] });
    expect((await ground.service.status()).map(({ root, key_hash, state }) => [root, key_hash, state])).toEqual([
      ['/srv/a', null, 'ABSENT'],
      [ROOT, KEY, 'COMPLETE'],
      ['/srv/z', null, 'ABSENT'],
    ]);
  });

  it('show a leftover of another key of the same root as not used', async () => {
    await using ground = await indexGround();
    const other = '0'.repeat(64);
    keep(ground.store, ROOT, other, { ...NO_INDEX, state: 'COMPLETE' });
    expect((await ground.service.status()).map(({ key_hash, host, serving }) => [key_hash, host, serving])).toEqual([
      [other, 'stopped', false],
      [KEY, 'running', true],
    ]);
  });

  it('are DISABLED without a reason when the mode is off, whatever is kept, and nobody asks a host', { tags: ['LSI-ST-01.1', 'LSI-ST-01.2'] }, async () => {
    await using ground = await indexGround({ mode: 'off' });
    expect(await ground.service.status()).toMatchObject([{ state: 'DISABLED', reason: null, serving: false, host: 'stopped' }]);
    await using none = await indexGround({ mode: 'off', empty: true });
    expect(await none.service.status()).toEqual([]);
  });

  it('are DISABLED where there is no place for one, and say so', { tags: ['LSI-ST-02.1', 'LSI-ST-02.2', 'LSI-ENUM-14'] }, async () => {
    await using ground = await indexGround({ empty: true, running: false, placeless: true });
    expect(await ground.service.status()).toMatchObject([{ root: ROOT, state: 'DISABLED', reason: 'PERSISTENCE_NOT_PERMITTED', serving: false }]);
  });

  it('leave out records that cannot be read', async () => {
    await using ground = await indexGround({ running: false });
    ground.store.close();
    expect(await ground.service.status()).toMatchObject([{ root: ROOT, key_hash: null, state: 'ABSENT' }]);
  });
});

describe('a request to the index host', () => {
  it('travels on the lane of its index, by directory, by key and by the first digits of the key', async () => {
    await using ground = await indexGround();
    for (const target of [{ root: ROOT }, { keyHash: KEY }, { keyHash: KEY.slice(0, 8) }]) {
      expect(await ground.service.request(target, 'reconcile', 'asked by me')).toMatchObject({ accepted: true, receipt: { joined: false } });
    }
    expect(ground.begun).toEqual(['reconcile job1 asked by me', 'reconcile job2 asked by me', 'reconcile job3 asked by me']);
  });

  it('keeps a long reason short', async () => {
    await using ground = await indexGround();
    await ground.service.request({ root: ROOT }, 'build', 'x'.repeat(500));
    expect(ground.begun).toEqual([`build job1 ${'x'.repeat(200)}`]);
  });

  it.each([[{ root: '/srv' }], [{ keyHash: KEY.slice(0, 7) }], [{ keyHash: 'deadbeef' }]])('is refused for what is no index: %s', async (target) => {
    await using ground = await indexGround();
    expect(await ground.service.request(target, 'build', '')).toMatchObject({ accepted: false, why: 'NO_SUCH_INDEX' });
  });

  it('is refused where digits are the beginning of two keys', async () => {
    await using ground = await indexGround();
    keep(ground.store, '/srv/other', `${KEY.slice(0, 10)}${'1'.repeat(54)}`, NO_INDEX);
    expect(await ground.service.request({ keyHash: KEY.slice(0, 9) }, 'build', '')).toMatchObject({ accepted: false, why: 'NO_SUCH_INDEX' });
    expect(await ground.service.request({ keyHash: KEY.slice(0, 11) }, 'build', '')).toMatchObject({ accepted: true });
  });

  it('is refused while no host runs, and says how to start one', async () => {
    await using ground = await indexGround({ running: false });
    expect(await ground.service.request({ root: ROOT }, 'build', '')).toMatchObject({
      accepted: false,
      why: 'HOST_DOWN',
      message: expect.stringContaining('writ up'),
    });
  });

  it('is refused while the index is off, and says what to write', { tags: ['FR-LSI-BG-04'] }, async () => {
    await using ground = await indexGround({ mode: 'off' });
    const answer = await ground.service.request({ root: ROOT }, 'build', '');
    expect(answer).toMatchObject({ accepted: false, why: 'INDEX_OFF', message: expect.stringContaining('index_mode') });
    expect(ground.begun).toEqual([]);
  });
});
