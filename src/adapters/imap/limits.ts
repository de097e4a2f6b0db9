/** Bounds of one search in an IMAP mailbox. Bytes and milliseconds. */
export interface ImapLimits {
  /** Until TCP and TLS stand. */
  readonly connectMs: number;
  /** Until the mailbox is open, all told. */
  readonly openMs: number;
  /** Longest silence of the server while it owes us something. */
  readonly silenceMs: number;
  /** How long a goodbye may take; the answer is complete by then. */
  readonly goodbyeMs: number;
  /** Messages up to this size are fetched as they are: one round trip for many. Larger ones first show what they consist of. */
  readonly plainBytes: number;
  /** A message of at most this size is handed over whole, as the port wants it. */
  readonly wholeBytes: number;
  /** How much of a larger one is fetched at a time of what is passed on. */
  readonly pieceBytes: number;
  /** How much is fetched at a time where a part may end. */
  readonly stepBytes: number;
  /** Attachments below this size are fetched: a round trip to leave them out would cost more. */
  readonly skipBytes: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/** All of it below the 30 s of a search (design 6), so that a dead server is named as such. */
export const IMAP_LIMITS: ImapLimits = {
  connectMs: 10_000,
  openMs: 20_000,
  silenceMs: 10_000,
  goodbyeMs: 1_000,
  plainBytes: 512 * KiB,
  wholeBytes: 4 * MiB,
  pieceBytes: MiB,
  stepBytes: 32 * KiB,
  skipBytes: 64 * KiB,
};
