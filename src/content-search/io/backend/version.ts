export type Version = readonly [major: number, minor: number, patch: number];

/** The version that an expression with the groups major, minor and perhaps patch finds; a patch that is missing is 0 (FR-LSI-BE-CAP-01). */
export function versionIn(text: string, expression: RegExp): Version | undefined {
  const found = expression.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

/** Whether a version is at least `oldest`: major before minor before patch. */
export function isNewEnough(version: Version, oldest: Version): boolean {
  const at = version.findIndex((part, index) => part !== oldest[index]);
  return at < 0 || (version[at] ?? 0) > (oldest[at] ?? 0);
}
