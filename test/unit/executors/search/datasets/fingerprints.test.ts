import { expect, it } from 'vitest';
import { createFingerprints } from '../../../../../src/executors/search/datasets/fingerprints.ts';

it('suspects every text that came twice, also where there are more than are looked at together', { tags: ['SE-48'] }, () => {
  const fingerprints = createFingerprints();
  const bytes = Buffer.alloc(16);
  const write = (n: number): number => bytes.write(`key-${n}`, 0, 'latin1');
  const [all, twice] = [70_000, 66_000];
  for (let n = 0; n < all; n += 1) fingerprints.add(bytes, 0, write(n));
  for (let n = 0; n < twice; n += 1) fingerprints.add(bytes, 0, write(n));
  const groups = [...fingerprints.repeated()];
  expect(groups.length).toBe(2);
  let suspected = 0;
  for (let n = 0; n < all; n += 1) {
    const length = write(n);
    const isSuspected = groups.some((suspects) => suspects.has(bytes, 0, length));
    if (n < twice && !isSuspected) expect.fail(`key-${n} came twice`);
    if (isSuspected) suspected += 1;
  }
  expect(suspected).toBe(twice);
  expect([...createFingerprints().repeated()]).toEqual([]);
});
