import { describe, expect, it } from 'vitest';
import { scenarioOf } from './draw.ts';
import { Disk, type Inode } from './twins/disk.ts';
import { World } from './world.ts';

interface Left {
  readonly file: Inode;
  readonly names: number;
}

/** A file that was linked, the link durable, and whose first name was taken away, not durable, when the power went. */
function leftOf(seed: number): Left {
  const disk = new Disk(new World(scenarioOf(seed), false));
  disk.mount('/data', '1', ['in', 'out']);
  const file = disk.put('/data/in/a', 'a');
  const [source, destination] = [disk.at('/data/in'), disk.at('/data/out')];
  if (file === undefined || source === undefined || destination === undefined) throw new Error('there is no file');
  file.nlink += 1;
  disk.change('writ', file, [{ directory: destination, name: 'a', after: file }]);
  disk.sync(destination);
  file.nlink -= 1;
  disk.change('writ', file, [{ directory: source, name: 'a', after: undefined }]);
  disk.cut();
  return { file, names: [...disk.names()].filter(({ inode }) => inode === file).length };
}

describe('the disk of the simulation', () => {
  it('counts the names of a file that the power has left', () => {
    const left = Array.from({ length: 20 }, (_, seed) => leftOf(seed));
    expect(left.filter(({ file, names }) => file.nlink !== names)).toEqual([]);
    expect(new Set(left.map(({ names }) => names))).toEqual(new Set([1, 2]));
  });
});
