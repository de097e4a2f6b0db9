/** Whether a canonical path is one of the roots or lies beneath one. By bytes: two paths that look alike need not be the same. */
export function isInside(realPath: Buffer, roots: readonly string[]): boolean {
  return roots.some((root) => isBeneath(realPath, Buffer.from(root)));
}

/** Whether a canonical path is the directory or lies beneath it. */
export function isBeneath(realPath: Buffer, directory: Buffer): boolean {
  if (realPath.equals(directory)) return true;
  const prefix = directory.at(-1) === SLASH ? directory : Buffer.concat([directory, Buffer.of(SLASH)]);
  return realPath.length > prefix.length && realPath.subarray(0, prefix.length).equals(prefix);
}

const SLASH = 0x2f;
