/** Why a message to an MCP server has no answer, for whoever waits for one. */
export class CallFailure extends Error {
  override readonly name = 'CallEnd';
  readonly kind: 'unsent' | 'unclear' | 'failed';
  /** The server does not know the session any more: nothing was done, and a new session may be asked. */
  readonly sessionLost: boolean;

  constructor(kind: CallFailure['kind'], message: string, sessionLost = false) {
    super(message);
    this.kind = kind;
    this.sessionLost = sessionLost;
  }
}
