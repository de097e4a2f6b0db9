import { WritError } from '../../../core/errors.ts';

interface FilesystemType {
  /** Names as mount(8) knows them; the ext family shares one magic number. */
  readonly names: readonly string[];
  /** Only local, writable file systems that keep inode numbers and fsync may hold a base directory. */
  readonly local: boolean;
}

/** `f_type` of statfs(2), lower 32 bits. */
const TYPES: ReadonlyMap<number, FilesystemType> = new Map([
  [0xef53, { names: ['ext4', 'ext3', 'ext2'], local: true }],
  [0x58465342, { names: ['xfs'], local: true }],
  [0x9123683e, { names: ['btrfs'], local: true }],
  [0x01021994, { names: ['tmpfs'], local: true }],
  [0x794c7630, { names: ['overlay'], local: true }],
  [0x2fc12fc1, { names: ['zfs'], local: true }],
  [0xf2f52010, { names: ['f2fs'], local: true }],
  [0x6969, { names: ['nfs'], local: false }],
  [0x517b, { names: ['smb'], local: false }],
  [0xfe534d42, { names: ['smb2'], local: false }],
  [0xff534d42, { names: ['cifs'], local: false }],
  [0x01021997, { names: ['9p'], local: false }],
  [0x65735546, { names: ['fuse'], local: false }],
  [0x00c36400, { names: ['ceph'], local: false }],
  [0x5346414f, { names: ['afs'], local: false }],
  [0x9fa0, { names: ['proc'], local: false }],
  [0x62656572, { names: ['sysfs'], local: false }],
  [0x4d44, { names: ['vfat'], local: false }],
]);

/** Its answers about holes were wrong for files with unwritten changes (OpenZFS before 2.2.2): there every byte is read. */
const ZFS = 0x2fc12fc1;

/** Whether what this type of file system says of holes may be believed. */
export function tellsHoles(magic: bigint): boolean {
  return Number(BigInt.asUintN(32, magic)) !== ZFS;
}

/** Every name that `allowedFilesystems` may hold. */
export const LOCAL_FILESYSTEMS: readonly string[] = [...TYPES.values()].filter((type) => type.local).flatMap((type) => type.names);

/** Checks the configured names once. Throws WritError INVALID_CONFIG for a name that is unknown or not local. */
export function allowedTypes(allowedFilesystems: readonly string[]): ReadonlySet<string> {
  for (const name of allowedFilesystems) {
    if (!LOCAL_FILESYSTEMS.includes(name)) {
      throw new WritError('INVALID_CONFIG', `'${name}' is no local file system type; possible are ${LOCAL_FILESYSTEMS.join(', ')}`, {
        field: 'file.filesystems',
      });
    }
  }
  return new Set(allowedFilesystems);
}

/** The type's name, or its number when it has none here, and whether a base may lie on it. */
export function judgeType(magic: bigint, allowed: ReadonlySet<string>): { readonly name: string; readonly allowed: boolean } {
  const number = Number(BigInt.asUintN(32, magic));
  const type = TYPES.get(number);
  if (type === undefined) return { name: `0x${number.toString(16)}`, allowed: false };
  return { name: type.names.join('/'), allowed: type.names.some((name) => allowed.has(name)) };
}
