import { expect, it } from 'vitest';
import { tellsHoles } from '../../../../../src/adapters/linux/confined-fs/filesystem-types.ts';

it('believes ext4 and tmpfs about holes, and not ZFS, whose answers were wrong', () => {
  for (const magic of [0xef53n, 0x01021994n]) expect(tellsHoles(magic)).toBe(true);
  // statfs(2) hands it out with its sign on some machines.
  for (const magic of [0x2fc12fc1n, -0xffffffffn + 0x2fc12fc1n - 1n]) expect(tellsHoles(magic)).toBe(false);
});
