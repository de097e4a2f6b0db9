/** A table that breaks a rule of data sets; the message names no path. */
export class TableBroken extends Error {
  override readonly name = 'TableBroken';
}
