const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * How large each document may be, in bytes of UTF-8, in one table: what one layer lets through the next one takes, and where it
 * cannot be so, the excess is answered with a code before anything is concluded (docs/protocol.md, "Bounds").
 * `test/unit/contracts/bounds.test.ts` has the order of all of them.
 */
export const BOUNDS = {
  /** What is read of the answer of a tool whose binding names no bound of its own. */
  toolResponse: 1_000_000,
  /** The largest bound that a binding may name. Only a part of such an answer can be the data of a result. */
  toolResponseMost: 8 * MIB,
  /** The output of a SUCCESS, as canonical JSON: judged by the executor, before it is signed. */
  output: MIB - KIB,
  /** A signed result: an output, or an error, and the signature. */
  result: MIB,
  /** What readers of results take, the kernel and the client among them. */
  readResult: 4 * MIB,
  /** The whole job of a task, as JSON. */
  job: 256 * KIB,
  /** A manifest; its job has room for the lease and its own fields. */
  manifest: (256 - 8) * KIB,
  /** The lease of a task, a compact JWS. */
  lease: 4 * KIB,
  /** One item of a bulk push, as it came. */
  item: MIB,
  /** The whole job of a plan, as JSON: the linked envelope and its lease. */
  planJob: MIB,
  /** The lease of a plan, a compact JWS. */
  planLease: 400_000,
  /** The answer to a step, as the plan sees it. */
  stepResult: MIB,
  /** What an approval brings along, as canonical JSON. */
  approvalData: 16 * KIB,
  /** Results and trace of a plan. */
  planOutput: 8 * MIB,
  planMemory: 4 * MIB,
  /** The signed end of a plan: header, output, memory, and what is known of the run. */
  planEnd: 16 * MIB,
  /** The largest value that a Redis of Writ's takes (`proto-max-bulk-len`). */
  redisValue: 16 * MIB,
  /** A request to the kernel, and its answer. */
  kernelBody: 16 * MIB,
  /** A request for the lease of a step: the envelope, and the answers of all steps so far. */
  deriveBody: 256 * MIB,
} as const;
