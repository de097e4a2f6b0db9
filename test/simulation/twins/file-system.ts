import { sha256Hex } from '../../../src/core/hash.ts';
import type { ConfinedBase, ConfinedDirectory, ConfinedFile, ConfinedFileSystem, Entry, FsRefusal, FsResult, Standing } from '../../../src/core/ports/index.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import type { Disk, Inode } from './disk.ts';

const ERRNO = {
  missing: 'ENOENT',
  exists: 'EEXIST',
  'not-a-directory': 'ENOTDIR',
  'not-a-file': 'EISDIR',
  symlink: 'ELOOP',
  escape: 'EXDEV',
  mount: 'EXDEV',
  'cross-device': 'EXDEV',
  'no-space': 'ENOSPC',
  permission: 'EACCES',
  'name-too-long': 'ENAMETOOLONG',
  'read-only': 'EROFS',
  unsupported: 'EINVAL',
  io: 'EIO',
} satisfies Record<FsRefusal, string>;

const DONE = { ok: true, value: undefined } as const;

function no(refusal: FsRefusal): { readonly ok: false; readonly refusal: FsRefusal; readonly errno: string } {
  return { ok: false, refusal, errno: ERRNO[refusal] };
}

/** An open file of the twin. */
interface FileTwin extends ConfinedFile {
  readonly inode: Inode;
  put(data: string): FsResult<void>;
}

/** The confined file system of one process, on the disk twin. Each call is carried out at one moment. */
export function createFileSystemTwin(world: World, process: SimProcess, disk: Disk): ConfinedFileSystem {
  const act = <T>(what: string, effect: () => FsResult<T>): Promise<FsResult<T>> =>
    world.call(process, { to: 'disk', what: `fs.${what}`, effect, refuse: () => no('io') });
  const { renames } = world.scenario;

  function directoryOf(inode: Inode): ConfinedDirectory {
    const names = inode.entries ?? new Map<string, Inode>();
    const self: ConfinedDirectory & { readonly inode: Inode } = {
      inode,
      identity: { dev: inode.dev, ino: inode.ino },
      entry: (name) =>
        act(`entry ${inode.label}/${name}`, () => {
          const found = names.get(name);
          return found === undefined ? no('missing') : { ok: true, value: entryOf(found) };
        }),
      openFile: (name) =>
        act(`openFile ${inode.label}/${name}`, () => {
          const found = names.get(name);
          if (found === undefined) return no('missing');
          return found.entries === undefined ? { ok: true, value: fileOf(found) } : no('not-a-file');
        }),
      createFile: (name) =>
        act(`createFile ${inode.label}/${name}`, () => {
          if (names.has(name)) return no('exists');
          if (world.isDiskFull) return no('no-space');
          const created = disk.create(inode.dev, false, 0o600);
          disk.change(process.name, created, [{ directory: inode, name, after: created }]);
          return { ok: true, value: fileOf(created) };
        }),
      makeDirectory: (name, mode) =>
        act(`makeDirectory ${inode.label}/${name}`, () => {
          if (names.has(name)) return no('exists');
          if (world.isDiskFull) return no('no-space');
          const created = disk.create(inode.dev, true, mode, `${inode.label}/${name}`);
          disk.change(process.name, created, [{ directory: inode, name, after: created }]);
          return DONE;
        }),
      renameNoReplace: (name, to, toName) =>
        act(`rename ${inode.label}/${name} to ${inodeOf(to).label}/${toName}`, () => {
          const target = inodeOf(to);
          if (target.dev !== inode.dev) return no('cross-device');
          if (!renames) return no('unsupported');
          const moved = names.get(name);
          if (moved === undefined) return no('missing');
          if (target.entries?.has(toName)) return no('exists');
          disk.change(process.name, moved, [
            { directory: inode, name, after: undefined },
            { directory: target, name: toName, after: moved },
          ]);
          return DONE;
        }),
      link: (name, to, toName) =>
        act(`link ${inode.label}/${name} to ${inodeOf(to).label}/${toName}`, () => {
          const target = inodeOf(to);
          if (target.dev !== inode.dev) return no('cross-device');
          const linked = names.get(name);
          if (linked === undefined) return no('missing');
          if (target.entries?.has(toName)) return no('exists');
          if (linked.entries !== undefined) return no('permission');
          linked.nlink += 1;
          disk.change(process.name, linked, [{ directory: target, name: toName, after: linked }]);
          return DONE;
        }),
      unlink: (name) =>
        act(`unlink ${inode.label}/${name}`, () => {
          const found = names.get(name);
          if (found === undefined) return no('missing');
          if (found.entries !== undefined) return no('not-a-file');
          found.nlink -= 1;
          disk.change(process.name, found, [{ directory: inode, name, after: undefined }]);
          return DONE;
        }),
      mayLeave: (name) => act(`mayLeave ${inode.label}/${name}`, () => (names.has(name) ? DONE : no('missing'))),
      names: () => act(`names ${inode.label}`, () => ({ ok: true, value: [...names.keys()] })),
      sync: () =>
        act(`sync ${inode.label}`, () => {
          disk.sync(inode);
          return DONE;
        }),
      close: async () => undefined,
    };
    return self;
  }

  function fileOf(inode: Inode): FileTwin {
    const write = (data: string): FsResult<void> => {
      if (world.isDiskFull) return no('no-space');
      inode.data = data;
      inode.mtimeNs = disk.time();
      inode.ctimeNs = disk.time();
      return DONE;
    };
    return {
      inode,
      stat: () => world.call(process, { to: 'disk', what: 'file.stat', effect: () => entryOf(inode) }),
      read: (buffer, position) => act('file.read', () => ({ ok: true, value: Buffer.from(buffer.buffer).write(inode.data.slice(position)) })),
      write: (buffer, position) => act('file.write', () => write(inode.data.slice(0, position) + Buffer.from(buffer).toString())),
      async copyTo(target, { signal, onBytes, hash = true } = {}) {
        const into = (target as FileTwin).inode;
        const half = Math.ceil(inode.data.length / 2);
        for (const end of [half, inode.data.length]) {
          signal?.throwIfAborted();
          const written = await act(`copy ${end} characters`, () => (target as FileTwin).put(inode.data.slice(0, end)));
          if (!written.ok) return written;
          onBytes?.(end);
        }
        return { ok: true, value: { bytes: into.data.length, sha256: hash ? sha256Hex(into.data) : undefined } };
      },
      put: write,
      setAttributes: ({ mode, mtimeNs }) =>
        act('file.setAttributes', () => {
          inode.mode = mode;
          inode.mtimeNs = BigInt(mtimeNs);
          inode.ctimeNs = disk.time();
          return DONE;
        }),
      extendedAttributes: () => act('file.extendedAttributes', () => ({ ok: true, value: [] })),
      sync: () =>
        act('file.sync', () => {
          inode.durable = inode.data;
          return DONE;
        }),
      close: async () => undefined,
    };
  }

  return {
    level: 'openat2',
    async openBase(id, path) {
      const root = await world.call(process, { to: 'disk', what: `fs.openBase ${path}`, effect: () => disk.roots.get(path) });
      if (root === undefined) throw new Error(`there is no directory ${path}`);
      const base: ConfinedBase = {
        id,
        path,
        identity: { dev: root.dev, ino: root.ino },
        directory: (segments) =>
          act(`open ${path}/${segments.join('/')}`, () => {
            let found: Inode = root;
            for (const segment of segments) {
              if (found.entries === undefined) return no('not-a-directory');
              const next = found.entries.get(segment);
              if (next === undefined) return no('missing');
              found = next;
            }
            return found.entries === undefined ? no('not-a-directory') : { ok: true, value: directoryOf(found) };
          }),
        mount: { id: root.dev, isTop: isTop(root, disk) },
        standing: () => standingOf(root, disk.roots.get(path)),
        freeBytes: () => world.call(process, { to: 'disk', what: 'fs.freeBytes', effect: () => (world.isDiskFull ? 0 : 2 ** 40) }),
        close: async () => undefined,
      };
      return base;
    },
  };
}

/** Whether a base directory's path leads to it still. */
function standingOf(root: Inode, found: Inode | undefined): Standing {
  return found === root ? { same: true } : { same: false, found: found?.ino ?? 'nothing', why: 'another directory stands there' };
}

/** What was renamed away leaves a plain directory of its file system. */
function isTop(root: Inode, disk: Disk): boolean {
  return disk.stood.find((one) => one.root.dev === root.dev)?.root === root;
}

function inodeOf(directory: ConfinedDirectory): Inode {
  return (directory as ConfinedDirectory & { readonly inode: Inode }).inode;
}

function entryOf(inode: Inode): Entry {
  return {
    type: inode.entries === undefined ? 'file' : 'directory',
    dev: inode.dev,
    ino: inode.ino,
    size: String(inode.data.length),
    mtimeNs: String(inode.mtimeNs),
    ctimeNs: String(inode.ctimeNs),
    atimeNs: String(inode.mtimeNs),
    nlink: inode.nlink,
    mode: inode.mode,
    uid: 0,
    gid: 0,
    allocatedBytes: String(inode.data.length),
  };
}
