/** Whether the field belongs to what is signed, a manifest or an envelope. */
export function isAboutManifest(field: string): boolean {
  return /^(?:manifest|envelope)(?:\.|$)/.test(field);
}
