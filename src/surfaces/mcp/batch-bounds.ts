/** The only version of the protocol with batches: lists of messages, of which a list with requests is answered by one list. */
export const BATCH_VERSION = '2025-03-26';
/** Messages of a batch; as many as the transport over HTTP takes. */
export const MAX_BATCH = 100;
